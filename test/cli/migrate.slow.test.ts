/** `strongroom migrate` from a server to the store of the config, and back to another server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MigrationReport } from '../../src/migrate/index.ts'
import { type DevServer, devServer } from '../../src/testing/index.ts'
import { type OperatorProject, operatorProject } from './operator-project.ts'

const SECRETS = 400
const PASSWORD = 'correct-horse-of-the-server'

let project: OperatorProject
let vault: DevServer
let other: DevServer

beforeAll(async () => {
  project = await operatorProject()
  const mounts = { 'apps/': { type: 'kv', options: { version: '2' } }, 'keys/': { type: 'transit' } }
  const exportable = { exportable: true, allow_plaintext_backup: true }
  const secrets = Object.fromEntries(Array.from({ length: SECRETS }, (_, i) => [`apps/s${i}`, { password: PASSWORD, i }]))
  vault = await devServer({ seed: { mounts, keys: { 'keys/orders': exportable }, secrets } })
  other = await devServer({ rootToken: 'other-root-token' })
  project.write('vault-token', vault.getRootToken())
  project.write('other-token', other.getRootToken())
})
afterAll(() => Promise.all([vault.stop(), other.stop()]))

const fromVault = () => ['migrate', '--from', vault.getAddress(), '--from-token-file', 'vault-token']

describe('strongroom migrate', () => {
  it('lists the items with --dry-run, and changes nothing', async () => {
    const { code, stdout } = await project.run([...fromVault(), '--dry-run', '--json'])
    expect(code).toBe(0)
    const { items } = JSON.parse(stdout) as { items: { kind: string; name: string; by?: string }[] }
    expect(items.filter(({ kind }) => kind === 'secret')).toHaveLength(SECRETS)
    expect(items.find(({ kind }) => kind === 'key')).toMatchObject({ name: 'orders', by: 'backup' })
    expect(JSON.parse((await project.run(['keys', 'list', '--json'])).stdout)).toEqual({ keys: ['customers'] })
  })

  it('continues after an interruption and after a killed process, and then both sides are equal', async () => {
    const args = [...fromVault(), '--state', 'state.json']
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      // Commits of the target are slow from the third one on, which is reported.
      let isStopped = false
      const { code, stdout, stderr } = await project.run(args, {
        env: { SLOW: 'commit' },
        onOutput(output, child) {
          if (isStopped || !output.includes('THIRD CALL')) return
          isStopped = true
          child.kill(signal)
        },
      })
      expect(code).toBe(signal === 'SIGINT' ? 130 : null)
      expect(stdout + stderr).not.toContain(PASSWORD)
    }
    expect(project.read('state.json')).not.toContain(PASSWORD)
    const { code, stdout, processArguments } = await project.run([...args, '--json'])
    const report = JSON.parse(stdout) as MigrationReport
    expect(report).toMatchObject({ verified: { secret: SECRETS, key: 1 }, differences: [] })
    // The store has secrets of version 1 at `secret/`, which at the server has version 2.
    expect({ code, refused: report.refused.map(({ kind, mount }) => `${kind} ${mount}`) }).toEqual({
      code: 1,
      refused: ['mount secret/'],
    })
    expect(processArguments).not.toContain(PASSWORD)
    const secret = await project.run(['kv', 'get', 's7', '--mount', 'apps', '--json'])
    expect(JSON.parse(secret.stdout)).toMatchObject({ data: { password: PASSWORD, i: 7 } })
  })

  it('copies a store to a server, and reports the items that it refuses', async () => {
    const { code, stdout } = await project.run([
      'migrate',
      '--to',
      other.getAddress(),
      '--to-token-file',
      'other-token',
      '--json',
    ])
    const { verified, refused } = JSON.parse(stdout) as {
      verified: { secret: number }
      refused: { name: string; mount: string }[]
    }
    // The key `customers` is not exportable, and `secret/` has another version at the server.
    expect(code).toBe(1)
    expect(refused.map(({ name }) => name)).toContain('customers')
    expect(verified.secret).toBe(SECRETS)
    expect((await other.kernel.kv2.at('apps/').readSecret({ path: 's7' })).data).toEqual({ password: PASSWORD, i: 7 })
  })

  it('ends with 6 for a token without permission, and with 2 without a token', async () => {
    const { client_token } = await vault.kernel.tokens.createToken({ policies: ['default'] })
    project.write('weak-vault-token', client_token)
    const denied = await project.run(['migrate', '--from', vault.getAddress(), '--from-token-file', 'weak-vault-token'])
    expect(denied.code).toBe(6)
    expect(denied.stderr).not.toContain(client_token)
    const missing = await project.run(['migrate', '--from', vault.getAddress()])
    expect(missing).toMatchObject({ code: 2, stderr: 'strongroom: --from-token-file: is required for a server\n' })
    expect((await project.run(['migrate'])).code).toBe(2)
  })
})
