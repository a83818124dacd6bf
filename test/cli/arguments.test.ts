/** Help, arguments and completion of every command, made from the definitions of the commands. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { GLOBAL_OPTIONS } from '../../src/cli/global-options.ts'
import { runInProcess } from './run-in-process.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'strongroom-cli-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const errorOf = (stderr: string) => (JSON.parse(stderr) as { error: { code: string; message: string; exit_code: number } }).error

describe.each(COMMANDS.map((command) => [command.name, command] as const))('strongroom %s', (name, command) => {
  it('has a help text with its summary, its arguments and all options', async () => {
    const { code, stdout, stderr } = await runInProcess([...name.split(' '), '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`Usage: strongroom ${name}`)
    expect(stdout).toContain(`${command.summary}.`)
    for (const option of Object.keys({ ...command.options, ...GLOBAL_OPTIONS })) expect(stdout).toContain(`--${option}`)
    for (const positional of command.positionals) expect(stdout).toContain(`<${positional.name}>`)
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThan(170)
  })

  it('refuses an unknown option with exit code 2', async () => {
    const { code, stdout, stderr } = await runInProcess([...name.split(' '), '--no-such-option'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toBe("strongroom: Unknown option '--no-such-option'\n")
  })

  it('reports an unknown option as JSON with --json', async () => {
    const { code, stdout, stderr } = await runInProcess([...name.split(' '), '--json', '--no-such-option'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(errorOf(stderr)).toEqual({ code: 'ERR_USAGE', message: "Unknown option '--no-such-option'", exit_code: 2 })
  })

  it('refuses more arguments than it takes', async () => {
    if (command.positionals.at(-1)?.many) return
    const many = [...command.positionals.map(({ choices }) => choices?.[0] ?? 'x'), 'surplus']
    const required = Object.entries(command.options).flatMap(([option, { required, kind }]) =>
      required ? [`--${option}`, kind === 'integer' ? '1' : 'x'] : [],
    )
    const { code, stderr } = await runInProcess([...name.split(' '), ...required, ...many])
    expect(code).toBe(2)
    expect(stderr).toContain('too many arguments')
  })

  it('has an example that names existing options', () => {
    expect(command.example.startsWith(name)).toBe(true)
    for (const [, option] of command.example.matchAll(/--([a-z-]+)/g))
      expect(Object.keys({ ...command.options, ...GLOBAL_OPTIONS })).toContain(option)
  })
})

describe.each(
  COMMANDS.flatMap(({ name, options }) =>
    Object.entries(options).flatMap(([option, definition]) => (definition.required ? [[name, option] as const] : [])),
  ),
)('strongroom %s', (name, option) => {
  it(`requires --${option}`, async () => {
    const command = COMMANDS.find((one) => one.name === name)
    const others = Object.entries(command?.options ?? {}).flatMap(([other, { required, kind }]) =>
      required && other !== option ? [`--${other}`, kind === 'integer' ? '1' : 'x'] : [],
    )
    const { code, stderr } = await runInProcess([...name.split(' '), ...others])
    expect(code).toBe(2)
    expect(stderr).toBe(`strongroom: --${option}: is required\n`)
  })
})

describe('the command line', () => {
  it('lists all commands without arguments, with --help and with help', async () => {
    const { code, stdout } = await runInProcess([])
    expect(code).toBe(0)
    for (const { name, summary } of COMMANDS) {
      expect(stdout).toContain(name)
      expect(stdout).toContain(summary)
    }
    expect((await runInProcess(['--help'])).stdout).toBe(stdout)
    expect((await runInProcess(['help'])).stdout).toBe(stdout)
  })

  it('lists the commands of a group, and requires one of them', async () => {
    const { code, stdout } = await runInProcess(['keys', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('keys rotate')
    expect(stdout).not.toContain('kv put')
    const without = await runInProcess(['keys'])
    expect(without.code).toBe(2)
    expect(without.stderr).toContain('keys: must be followed by list, show, create, rotate, config, trim')
  })

  it('refuses unknown commands without repeating more than their first words', async () => {
    const { code, stderr } = await runInProcess(['unsael', 'x', 'secret-share'])
    expect(code).toBe(2)
    expect(stderr).toContain('unknown command: unsael')
    expect(stderr).not.toContain('secret-share')
  })

  it('refuses values of the wrong form', async () => {
    const { stderr } = await runInProcess(['keys', 'trim', 'k', '--min-available-version', 'two'])
    expect(stderr).toBe('strongroom: --min-available-version: must be a whole number\n')
    const choice = await runInProcess(['keys', 'config', 'k', '--exportable', 'yes'])
    expect(choice.stderr).toBe('strongroom: --exportable: must be one of true, false\n')
    const operation = await runInProcess(['policy', 'explain', 'write', 'secret/a'])
    expect(operation.stderr).toContain('<operation>: must be one of create, read, update')
  })

  it.each([
    ['a file that is not there', undefined, 'does not exist'],
    ['a module with a syntax error', 'export default {', 'cannot be loaded'],
    ['a module without options', 'export const a = 1', 'must export by default the options of createKernel'],
    ['a function that fails', 'export default () => { throw new Error("no disk") }', 'its default export failed: no disk'],
    ['options without a storage', 'export default { seal: {} }', 'must export by default the options of createKernel'],
    [
      'a close that is not a function',
      'export default { storage: { close() {} } }; export const close = 1',
      'the export close must be a function',
    ],
  ])('refuses %s as a config with exit code 3', async (what, text, message) => {
    const name = `${what.replaceAll(' ', '-')}.mjs`
    if (text !== undefined) writeFileSync(join(folder, name), text)
    const { code, stderr } = await runInProcess(['status', '--config', name], '', folder)
    expect(code).toBe(3)
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it.each(['bash', 'zsh', 'fish'])('completes every command and option in %s', async (shell) => {
    const { code, stdout } = await runInProcess(['completion', shell])
    expect(code).toBe(0)
    for (const { name, options } of COMMANDS) {
      for (const word of name.split(' ')) expect(stdout).toContain(word)
      for (const option of Object.keys(options)) expect(stdout).toContain(shell === 'fish' ? `-l ${option}` : `--${option}`)
    }
  })
})
