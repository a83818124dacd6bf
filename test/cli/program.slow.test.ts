/** Every command as a program, without a terminal: its result, its exit codes, and no secret where other users or logs could see it. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import type { ProgramOutcome } from './installed-program.ts'
import { type OperatorProject, operatorProject, SHAMIR } from './operator-project.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'

let project: OperatorProject
let runs = 0
beforeAll(async () => {
  project = await operatorProject()
  await project.script('encrypt.mjs', { LINES: '500', OUT: join(project.folder, 'rows.jsonl') })
})

interface Situation {
  readonly env?: Readonly<Record<string, string>>
  readonly more?: readonly string[]
}

async function runScenario(scenario: Scenario, { env = {}, more = [] }: Situation = {}): Promise<ProgramOutcome> {
  const fresh = `fresh-${++runs}`
  // In other situations there is nothing to prepare, because the command fails before.
  if (Object.keys(env).length === 0) await scenario.prepare?.(fresh, project)
  const interrupt: Parameters<OperatorProject['run']>[1] = scenario.runsOn
    ? { onOutput: (output, child) => void (/127\.0\.0\.1:\d+\D/.test(output) && child.kill('SIGTERM')) }
    : {}
  const outcome = await project.run([...scenario.args(fresh, project), ...more], {
    env: { ...scenario.env?.(fresh), ...env },
    input: scenario.input ?? '',
    ...interrupt,
  })
  for (const secret of project.secrets) {
    expect(outcome.processArguments).not.toContain(secret)
    if (!scenario.showsSecret) expect(outcome.stdout + outcome.stderr).not.toContain(secret)
  }
  expect(outcome.stderr).not.toMatch(/^ {4}at /m)
  return outcome
}

it('every command has a scenario', () => {
  expect(Object.keys(SCENARIOS).sort()).toEqual(COMMANDS.map(({ name }) => name).sort())
})

describe.each(Object.entries(SCENARIOS))('strongroom %s', (name, scenario) => {
  const isStore = scenario.needs === 'store'

  it('succeeds and writes one JSON object with --json', async () => {
    const { code, stdout, stderr } = await runScenario(scenario, { more: ['--json'] })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.endsWith('\n')).toBe(true)
    expect(typeof JSON.parse(stdout)).toBe('object')
  })

  it('succeeds without --json', async () => {
    const { code, stderr } = await runScenario(scenario)
    expect({ code, error: /strongroom: .*/.exec(stderr)?.[0] }).toEqual({ code: 0, error: undefined })
  })

  if (scenario.needs !== 'none')
    it('ends with 3 if there is no config', async () => {
      const { code, stdout, stderr } = await runScenario(scenario, { more: ['--config', 'missing.mjs'] })
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toBe('strongroom: missing.mjs: does not exist; create it, or name another config file with --config\n')
    })

  const sealedCode = scenario.sealed ?? 4
  if (isStore && name !== 'unseal')
    it(`ends with ${sealedCode} if the store is sealed`, async () => {
      const { code } = await runScenario(scenario, { env: SHAMIR })
      expect(code).toBe(sealedCode)
    })

  const wrongKeyCode = scenario.wrongKey ?? 5
  if (isStore)
    it(`ends with ${wrongKeyCode} if the root key is wrong`, async () => {
      const { code, stdout, stderr } = await runScenario(scenario, { env: { STORE: './store', SEAL: 'wrong' } })
      expect(code).toBe(wrongKeyCode)
      expect(stdout + stderr).toContain('this key does not open the store')
    })
})

describe('tokens', () => {
  it('restrict a command: a denied call ends with 6', async () => {
    const { code, stderr } = await project.run(['keys', 'list', '--json', '--token-file', 'weak-token'])
    expect(code).toBe(6)
    expect(JSON.parse(stderr)).toEqual({ error: { code: 'ERR_PERMISSION_DENIED', message: expect.any(String), exit_code: 6 } })
  })

  it('are read from standard input', async () => {
    const { code, stdout } = await project.run(['keys', 'list', '--json', '--token-file', '-'], { input: project.read('token') })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ keys: expect.arrayContaining(['customers']) })
  })

  it('cannot be read from standard input together with a secret', async () => {
    const { code, stderr } = await project.run(['kv', 'put', 'x', '--token-file', '-'], { input: 's.abc' })
    expect(code).toBe(2)
    expect(stderr).toContain('standard input already contains the token')
  })

  it('are written to a file that only its owner can read, and are shown only with --out -', async () => {
    expect(statSync(join(project.folder, 'token.json')).mode & 0o777).toBe(0o600)
    const { code, stdout } = await project.run(['token', 'create', '--policy', 'default', '--out', '-', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ token: expect.stringMatching(/^s\./) })
    const again = await project.run(['token', 'create', '--policy', 'default', '--out', 'token.json'])
    expect(again.code).toBe(2)
  })
})

describe('stores with key shares', () => {
  it('are opened with the shares in a file', async () => {
    const { code, stdout } = await project.run(['keys', 'list', '--shares-file', 'shares', '--json'], { env: SHAMIR })
    expect({ code, keys: JSON.parse(stdout).keys }).toEqual({ code: 0, keys: [] })
  })

  it('are opened with the shares on standard input', async () => {
    const { code } = await project.run(['doctor', '--shares-file', '-'], { env: SHAMIR, input: project.read('shares') })
    expect(code).toBe(0)
  })

  it('refuse shares of another store with 5', async () => {
    const { code, stderr } = await project.run(['keys', 'list', '--shares-file', 'other-shares'], { env: SHAMIR })
    expect(code).toBe(5)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('stay sealed with too few shares', async () => {
    const [first] = project.read('shares').split('\n') as [string]
    const { code, stderr } = await project.run(['keys', 'list', '--shares-file', '-'], { env: SHAMIR, input: first })
    expect(code).toBe(4)
    expect(stderr).toContain('needs 2 key shares, but got 1')
  })

  it('have the new shares after rekey, and no longer the old ones', async () => {
    const env = { STORE: './rekeyed', SEAL: 'shamir' }
    await project.run(['init', '--shares', '2', '--threshold', '2', '--out', 'old.json'], { env })
    const old = (JSON.parse(project.read('old.json')) as { keys: readonly string[] }).keys.join('\n')
    const rekey = ['rekey', '--shares', '3', '--threshold', '2', '--shares-file', '-', '--out', 'new.json']
    expect((await project.run(rekey, { env, input: old })).code).toBe(0)
    const fresh = (JSON.parse(project.read('new.json')) as { keys: readonly string[] }).keys
    expect(fresh).toHaveLength(3)
    const unseal = ['unseal', '--shares-file', '-']
    expect((await project.run(unseal, { env, input: fresh.slice(1).join('\n') })).code).toBe(0)
    expect((await project.run(unseal, { env, input: old })).code).toBe(5)
  })
})

describe('doctor', () => {
  it('runs the conformance suite on the fresh stores of the config', async () => {
    const { code, stdout } = await project.run(['doctor', '--conformance', '--json'])
    expect(code).toBe(0)
    const { findings } = JSON.parse(stdout) as { findings: readonly { check: string; result: string; message: string }[] }
    expect(findings.map(({ check }) => check)).toEqual([
      ...['storage', 'seal', 'clock', 'due work', 'failed work', 'versions', 'conformance'],
    ])
    expect(findings.at(-1)?.message).toMatch(/^\d{2,} tests$/)
  })
})

describe('audit logs', () => {
  it('that were changed are reported with 5', async () => {
    const lines = project.read('store.audit').split('\n')
    project.write('changed.audit', lines.filter((_, at) => at !== 4).join('\n'))
    const { code, stdout } = await project.run(['audit', 'verify', '--sink', 'log', '--json', 'changed.audit'])
    expect(code).toBe(5)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      problems: [expect.objectContaining({ kind: 'missing' })],
    })
  })
})

describe('backups', () => {
  it('that are damaged are refused with 5, and the same command restores a good one afterwards', async () => {
    await project.run(['backup', '--out', 'good.backup'])
    const bytes = readFileSync(join(project.folder, 'good.backup'))
    writeFileSync(join(project.folder, 'bad.backup'), bytes.subarray(0, bytes.length - 10))
    const env = { STORE: './restored' }
    expect((await project.run(['restore', 'bad.backup'], { env })).code).toBe(5)
    expect((await project.run(['restore', 'good.backup'], { env })).code).toBe(0)
    const { stdout } = await project.run(['kv', 'list', 'app', '--json'], { env })
    expect(JSON.parse(stdout)).toEqual({ keys: ['database'] })
  })
})
