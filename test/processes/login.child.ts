/**
 * Runs the commands of the test for logins and tokens, one at a time. Started by logins.slow.test.ts.
 */
import { createKernel, KernelError } from '../../src/index.ts'
import { childArguments, received, send } from '../fixtures/child-side.ts'
import type { StoreAt } from '../fixtures/store-at.ts'
import { openStorage, SEAL } from './where.ts'

export interface LoginArguments {
  readonly where: StoreAt
  /** The staleness bound in milliseconds. */
  readonly bound: number
}

export type ParentMessage =
  | { readonly do: 'log in'; readonly jwt: string; readonly times: number }
  | { readonly do: 'look up' | 'renew'; readonly tokens: readonly string[] }
  /** Reported when the deletion is visible everywhere. */
  | { readonly do: 'delete the role' }
  | { readonly do: 'end' }

/** The result of a call: the token and its entity, or the refusal. */
export type Came = { readonly token: string; readonly entity: string } | { readonly status: number; readonly message: string }

const { where, bound } = childArguments<LoginArguments>()
const report = (came: readonly Came[]): void => send(came)
const { storage, close } = openStorage(where)
const kernel = await createKernel({ storage, seal: SEAL, cache: { stalenessMs: bound } })

async function orRefusal(call: Promise<Came>): Promise<Came> {
  try {
    return await call
  } catch (error) {
    if (error instanceof KernelError) return { status: error.status, message: error.message }
    throw error
  }
}

async function logIn(jwt: string): Promise<Came> {
  const { client_token, entity_id } = await kernel.orchestrator.login({ role: 'web', jwt })
  return { token: client_token, entity: entity_id }
}

async function lookUp(token: string): Promise<Came> {
  const { entity_id } = await kernel.as(token).tokens.lookupSelf()
  return { token, entity: entity_id }
}

async function renew(token: string): Promise<Came> {
  const { entity_id } = await kernel.as(token).tokens.renewSelf()
  return { token, entity: entity_id }
}

async function perform(message: Exclude<ParentMessage, { readonly do: 'end' }>): Promise<readonly Came[]> {
  switch (message.do) {
    case 'log in':
      return Promise.all(Array.from({ length: message.times }, () => orRefusal(logIn(message.jwt))))
    case 'look up':
      return Promise.all(message.tokens.map((token) => orRefusal(lookUp(token))))
    case 'renew':
      return Promise.all(message.tokens.map((token) => orRefusal(renew(token))))
    case 'delete the role':
      await kernel.orchestrator.deleteRole({ name: 'web' })
      await kernel.visibleEverywhere()
      return []
  }
}

report([])
for await (const message of received() as AsyncIterable<ParentMessage>) {
  if (message.do === 'end') break
  report(await perform(message))
}
await kernel.close()
await close()
process.stdin.destroy()
