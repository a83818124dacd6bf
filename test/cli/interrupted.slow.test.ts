/** Commands that are interrupted or killed in the middle of their work, and run again. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ProgramOutcome } from './installed-program.ts'
import { type OperatorProject, operatorProject } from './operator-project.ts'

const LINES = 20_000

let project: OperatorProject
beforeAll(async () => {
  project = await operatorProject()
  await project.script('encrypt.mjs', { LINES: String(LINES), OUT: join(project.folder, 'rows.jsonl') })
  await project.run(['keys', 'rotate', 'customers'])
  await project.script('fill.mjs', { SECRETS: '3000' })
})

/** Runs a command with a storage that becomes slow at its third call of `method`, and sends the signal then. */
async function interrupt(
  signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL',
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ProgramOutcome> {
  let isSent = false
  return project.run(args, {
    env,
    onOutput(output, child) {
      if (isSent || !output.includes('THIRD CALL')) return
      isSent = true
      child.kill(signal)
    },
  })
}

const CODES = { SIGINT: 130, SIGTERM: 130, SIGKILL: null } as const

describe.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('after %s in the middle', (signal) => {
  it('rewrap continues, and the result is that of one run', async () => {
    const out = `${signal}.jsonl`
    const args = [
      'rewrap',
      '--jsonl',
      'rows.jsonl',
      '--field',
      'email',
      '--key',
      'customers',
      '--aad',
      'customer:{id}',
      '--out',
      out,
    ]
    // The first checkpoint shows that some lines are written.
    const { code } = await project.run(args, {
      until: () => existsSync(join(project.folder, `${out}.progress`)),
      signal,
    })
    expect(code).toBe(CODES[signal])
    expect(existsSync(join(project.folder, out))).toBe(false)

    const other = await project.run(args.map((word) => (word === 'email' ? 'note' : word)))
    expect(other.code).toBe(2)
    expect(other.stderr).toContain('a run with other arguments or another input was interrupted')

    const second = await project.run([...args, '--json'])
    expect({ code: second.code, stderr: second.stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(second.stdout)).toMatchObject({ rewrapped: LINES, failed: 0, skipped: LINES / 10, versions: { 2: LINES } })
    const compared = await project.script('compare.mjs', {
      BEFORE: join(project.folder, 'rows.jsonl'),
      AFTER: join(project.folder, out),
    })
    expect(compared.stderr).toBe('')
    expect(JSON.parse(compared.stdout)).toEqual({ lines: LINES, versions: ['v2'] })
    expect(existsSync(join(project.folder, `${out}.progress`))).toBe(false)
  })

  it('copy continues, and the target is identical to the source', async () => {
    const args = ['copy', '--to', 'target.config.mjs', '--json']
    const env = { TARGET: `./copy-${signal}` }
    const first = await interrupt(signal, args, { ...env, SLOW_TARGET: 'scan' })
    expect(first.code).toBe(CODES[signal])
    const second = await project.run(args, { env })
    expect(second.code).toBe(0)
    const third = await project.run(args, { env })
    expect(JSON.parse(third.stdout)).toMatchObject({ written: 0, records: JSON.parse(second.stdout).records })
    const { stdout } = await project.run(['kv', 'list', 'many', '--json'], { env: { STORE: `./copy-${signal}` } })
    expect(JSON.parse(stdout).keys).toHaveLength(3000)
  })

  it('backup begins again, and no incomplete file has the name of the backup', async () => {
    const out = `${signal}.backup`
    const first = await interrupt(signal, ['backup', '--out', out], { SLOW: 'scan' })
    expect(first.code).toBe(CODES[signal])
    expect(existsSync(join(project.folder, out))).toBe(false)
    expect((await project.run(['backup', '--out', out])).code).toBe(0)
    const env = { STORE: `./from-${signal}` }
    expect((await project.run(['restore', out], { env })).code).toBe(0)
    expect((await project.run(['status'], { env })).code).toBe(0)
  })

  it('restore begins again, and no command opens the incomplete store', async () => {
    await project.run(['backup', '--out', `for-${signal}.backup`])
    const args = ['restore', `for-${signal}.backup`]
    const env = { STORE: `./restore-${signal}` }
    const first = await interrupt(signal, args, { ...env, SLOW: 'commit' })
    expect(first.code).toBe(CODES[signal])
    expect((await project.run(['status'], { env })).code).not.toBe(0)
    expect((await project.run(args, { env })).code).toBe(0)
    const { stdout } = await project.run(['kv', 'list', 'many', '--json'], { env })
    expect(JSON.parse(stdout).keys).toHaveLength(3000)
  })
})

it.each(['SIGINT', 'SIGTERM'] as const)(
  'a second %s kills a command that is still working, which can be repeated',
  async (signal) => {
    await project.run(['backup', '--out', `twice-${signal}.backup`])
    const args = ['restore', `twice-${signal}.backup`]
    const env = { STORE: `./twice-${signal}` }
    let isSent = false
    const first = await project.run(args, {
      env: { ...env, SLOW: 'commit' },
      onOutput(output, child) {
        if (isSent || !output.includes('THIRD CALL')) return
        isSent = true
        child.kill(signal)
        // The commit that is slow takes ten times as long.
        setTimeout(() => child.kill(signal), 20)
      },
    })
    expect(first).toMatchObject({ code: null, signal })
    expect((await project.run(args, { env })).code).toBe(0)
  },
)
