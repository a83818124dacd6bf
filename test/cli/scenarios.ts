/** How each command is called so that it succeeds in an operator's project, and how it ends in other situations. */
import type { OperatorProject } from './operator-project.ts'
import { SECRET_VALUE, SHAMIR } from './operator-project.ts'

export interface Scenario {
  /** @param fresh A name that no other run uses. */
  readonly args: (fresh: string, project: OperatorProject) => readonly string[]
  readonly env?: (fresh: string) => Readonly<Record<string, string>>
  readonly input?: string
  /** The answer to a prompt in a terminal: the text of the prompt, and the text to type. */
  readonly prompts?: readonly (readonly [string, string])[]
  readonly prepare?: (fresh: string, project: OperatorProject) => Promise<void>
  /** `none`: needs no config. `config`: opens the storage only. `store`: opens a kernel. */
  readonly needs: 'none' | 'config' | 'store'
  /** The exit codes for a sealed store and for a wrong key, if they are not 4 and 5. */
  readonly sealed?: number
  readonly wrongKey?: number
  /** Whether the command shows the state of a store that is not unsealed, instead of asking for its shares. */
  readonly showsState?: boolean
  /** Whether the command was asked to show a secret. */
  readonly showsSecret?: boolean
  /** Whether the command runs until it is interrupted. */
  readonly runsOn?: boolean
}

const store = (...args: readonly string[]): Scenario => ({ args: () => args, needs: 'store' })

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  init: {
    args: (fresh) => ['init', '--out', `${fresh}.json`],
    env: (fresh) => ({ STORE: `./${fresh}` }),
    needs: 'store',
    sealed: 1,
  },
  status: { ...store('status'), showsState: true },
  doctor: { args: () => ['doctor'], needs: 'store', sealed: 0, wrongKey: 1 },
  unseal: { args: () => ['unseal', '--shares-file', 'shares'], env: () => SHAMIR, needs: 'store' },
  rekey: {
    args: (fresh) => ['rekey', '--shares', '3', '--threshold', '2', '--shares-file', `${fresh}.shares`, '--out', `${fresh}.json`],
    env: (fresh) => ({ STORE: `./${fresh}`, SEAL: 'shamir' }),
    async prepare(fresh, { run, read, write }) {
      const env = { STORE: `./${fresh}`, SEAL: 'shamir' }
      await run(['init', '--shares', '2', '--threshold', '2', '--out', `${fresh}.first`], { env })
      write(`${fresh}.shares`, (JSON.parse(read(`${fresh}.first`)) as { keys: readonly string[] }).keys.join('\n'))
    },
    needs: 'store',
    // The file with the shares does not exist for the stores of these two cases.
    sealed: 2,
  },
  'keys list': store('keys', 'list'),
  'keys show': store('keys', 'show', 'customers'),
  'keys create': { args: (fresh) => ['keys', 'create', fresh, '--type', 'ed25519'], needs: 'store' },
  'keys rotate': store('keys', 'rotate', 'customers'),
  'keys config': store('keys', 'config', 'customers', '--deletion-allowed', 'false'),
  'keys trim': {
    args: (fresh) => ['keys', 'trim', fresh, '--min-available-version', '2'],
    async prepare(fresh, { run }) {
      await run(['keys', 'create', fresh])
      await run(['keys', 'rotate', fresh])
      await run(['keys', 'config', fresh, '--min-decryption-version', '2', '--min-encryption-version', '2'])
    },
    needs: 'store',
  },
  inspect: { args: () => ['inspect', 'strongroom:v1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='], needs: 'none' },
  rewrap: {
    args: (fresh) => [
      ...['rewrap', '--jsonl', 'rows.jsonl', '--field', 'email', '--key', 'customers'],
      ...['--aad', 'customer:{id}', '--out', `${fresh}.jsonl`],
    ],
    needs: 'store',
  },
  'kv get': { ...store('kv', 'get', 'app/database', '--field', 'password'), showsSecret: true },
  'kv put': {
    args: (fresh) => ['kv', 'put', fresh, '--field', 'password'],
    input: SECRET_VALUE,
    prompts: [['Enter the secret', SECRET_VALUE]],
    needs: 'store',
  },
  'kv list': store('kv', 'list', 'app'),
  'policy explain': store('policy', 'explain', 'read', 'secret/app', '--token-file', 'token'),
  'policy format': { args: () => ['policy', 'format', 'app.hcl'], needs: 'none' },
  'policy check': { args: () => ['policy', 'check', 'app.hcl'], needs: 'none' },
  'token create': {
    args: (fresh) => ['token', 'create', '--policy', 'default', '--ttl', '1h', '--out', `${fresh}.json`],
    needs: 'store',
  },
  'token lookup': store('token', 'lookup', '--token-file', 'token'),
  'token revoke': {
    args: (fresh) => ['token', 'revoke', '--token-file', `${fresh}.token`],
    async prepare(fresh, { run, read, write }) {
      await run(['token', 'create', '--policy', 'default', '--out', `${fresh}.json`])
      write(`${fresh}.token`, (JSON.parse(read(`${fresh}.json`)) as { token: string }).token)
    },
    needs: 'store',
  },
  'audit verify': store('audit', 'verify', '--sink', 'log', 'store.audit'),
  'audit who': store('audit', 'who', 'customers', 'store.audit'),
  backup: { args: (fresh) => ['backup', '--out', `${fresh}.backup`], needs: 'config' },
  restore: {
    args: (fresh) => ['restore', `${fresh}.backup`],
    env: (fresh) => ({ STORE: `./${fresh}` }),
    prepare: async (fresh, { run }) => void (await run(['backup', '--out', `${fresh}.backup`])),
    needs: 'config',
  },
  copy: {
    args: () => ['copy', '--to', 'target.config.mjs'],
    env: (fresh) => ({ TARGET: `./${fresh}` }),
    needs: 'config',
  },
  migrate: {
    args: () => ['migrate', '--from', 'target.config.mjs', '--state', 'migration.json'],
    env: (fresh) => ({ TARGET: `./${fresh}` }),
    async prepare(fresh, { run }) {
      const target = { TARGET: `./${fresh}` }
      await run(['init', '--config', 'target.config.mjs', '--out', `${fresh}.json`], { env: target })
    },
    needs: 'store',
  },
  'replication status': store('replication', 'status'),
  serve: { args: () => ['serve', '--port', '0'], needs: 'store', runsOn: true, sealed: 0 },
  completion: { args: () => ['completion', 'bash'], needs: 'none' },
}
