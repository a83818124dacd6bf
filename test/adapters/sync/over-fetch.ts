/** The adapters over `fetch` with their loopback servers, for tests of their common behavior. */
import { githubSync } from '../../../src/adapters/sync-github/index.ts'
import { vercelSync } from '../../../src/adapters/sync-vercel/index.ts'
import type { SyncConfig, SyncDestination, SyncPut } from '../../../src/sys/sync/port.ts'
import { startGithubServer } from '../../fixtures/sync/github.ts'
import type { HttpStore } from '../../fixtures/sync/http-store.ts'
import { startVercelServer } from '../../fixtures/sync/vercel.ts'

export const TOKEN = 'token-that-nobody-may-see'
export const VALUE = 'value_that_nobody_may_see'

export interface OverFetch {
  readonly type: string
  readonly config: SyncConfig
  /** The calls of a first push in their order. Failures of calls after `decisive` do not fail the push. */
  readonly putCalls: readonly string[]
  readonly decisive: string
  /** The call that removes a variable or secret with a known version. */
  readonly removeCall: string
  start(): Promise<HttpStore>
  destination(options: { readonly endpoint?: string; readonly fetch?: typeof fetch }): SyncDestination
}

export const OVER_FETCH: readonly OverFetch[] = [
  {
    type: 'repohost',
    config: { access_token: TOKEN, repository_owner: 'acme', repository_name: 'shop' },
    putCalls: ['getPublicKey', 'putSecret', 'getSecret'],
    decisive: 'putSecret',
    removeCall: 'deleteSecret',
    start: () => startGithubServer({ token: TOKEN }),
    destination: githubSync,
  },
  {
    type: 'webhost-project',
    config: { access_token: TOKEN, project_id: 'prj_shop', deployment_environments: ['production', 'preview'] },
    putCalls: ['createEnv'],
    decisive: 'createEnv',
    removeCall: 'removeEnv',
    start: () => startVercelServer({ token: TOKEN }),
    destination: vercelSync,
  },
]

/** Calls that are answered never reach this deadline. */
export const soon = (ms = 60_000): AbortSignal => AbortSignal.timeout(ms)

export const push = (name: string, value: string, more: Partial<SyncPut> = {}): SyncPut => ({
  name,
  value,
  tags: {},
  removeTags: [],
  opId: '0b6a7a0e-6f0b-4a4f-9a7e-3f2b8a1c9d55',
  ...more,
})

/** The thrown error, with the text of all its representations. */
export async function thrownBy(work: Promise<unknown>) {
  const error = (await work.then(
    () => {
      throw new Error('did not fail')
    },
    (thrown: unknown) => thrown,
  )) as Error & { kind?: string; code?: string; retryAfterMs?: number }
  const text = `${error.message}\n${error.stack}\n${JSON.stringify(error)}\n${String(error.cause)}`
  return { error, text, kind: error.kind, code: error.code, retryAfterMs: error.retryAfterMs }
}
