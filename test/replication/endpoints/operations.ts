/** The replication operations, by path and by method. */
import type { Kernel } from '../../../src/index.ts'
import { BASE } from './world.ts'

export type Method = Exclude<keyof Kernel['replication'], 'performance' | 'dr' | 'exportLost'>

export interface Endpoint {
  readonly method: Method
  readonly verb: 'GET' | 'POST' | 'DELETE'
  readonly path: string
}

/** The documented endpoints of Vault. */
export const ENDPOINTS: readonly Endpoint[] = [
  { method: 'readStatus', verb: 'GET', path: `${BASE}/status` },
  { method: 'status', verb: 'GET', path: 'sys/replication/status' },
  { method: 'enablePrimary', verb: 'POST', path: `${BASE}/primary/enable` },
  { method: 'demotePrimary', verb: 'POST', path: `${BASE}/primary/demote` },
  { method: 'disablePrimary', verb: 'POST', path: `${BASE}/primary/disable` },
  { method: 'createSecondaryToken', verb: 'POST', path: `${BASE}/primary/secondary-token` },
  { method: 'revokeSecondary', verb: 'POST', path: `${BASE}/primary/revoke-secondary` },
  { method: 'generatePublicKey', verb: 'POST', path: `${BASE}/secondary/generate-public-key` },
  { method: 'enableSecondary', verb: 'POST', path: `${BASE}/secondary/enable` },
  { method: 'promote', verb: 'POST', path: `${BASE}/secondary/promote` },
  { method: 'disableSecondary', verb: 'POST', path: `${BASE}/secondary/disable` },
  { method: 'updatePrimary', verb: 'POST', path: `${BASE}/secondary/update-primary` },
]

/** Endpoints that Vault does not have, or only for disaster recovery. */
export const BEYOND: readonly Endpoint[] = [
  { method: 'reindex', verb: 'POST', path: 'sys/replication/reindex' },
  { method: 'stopReindex', verb: 'DELETE', path: 'sys/replication/reindex' },
  { method: 'merkleCheck', verb: 'POST', path: 'sys/replication/merkle-check' },
  { method: 'stopMerkleCheck', verb: 'DELETE', path: 'sys/replication/merkle-check' },
  { method: 'readLostWrites', verb: 'GET', path: `${BASE}/secondary/lost-writes` },
  { method: 'forgetLostWrites', verb: 'DELETE', path: `${BASE}/secondary/lost-writes` },
]

const ID = 'b'

/** Endpoints with a secondary's id in their path. */
export const FILTERS: readonly Endpoint[] = [
  { method: 'writePathsFilter', verb: 'POST', path: `${BASE}/primary/paths-filter/${ID}` },
  { method: 'readPathsFilter', verb: 'GET', path: `${BASE}/primary/paths-filter/${ID}` },
  { method: 'deletePathsFilter', verb: 'DELETE', path: `${BASE}/primary/paths-filter/${ID}` },
  { method: 'readDynamicFilter', verb: 'GET', path: `${BASE}/primary/dynamic-filter/${ID}` },
  { method: 'readOwnDynamicFilter', verb: 'GET', path: `${BASE}/secondary/dynamic-filter/${ID}` },
]

export const WRITES = ENDPOINTS.filter(({ verb }) => verb === 'POST')

export const STATUSES = ENDPOINTS.filter(({ verb }) => verb === 'GET')

export const endpointOf = (method: Method): Endpoint => {
  const found = [...ENDPOINTS, ...BEYOND, ...FILTERS].find((endpoint) => endpoint.method === method)
  if (!found) throw new Error(`no path of ${method}`)
  return found
}

export const pathOf = (method: Method): string => endpointOf(method).path

type Call = (args?: object, options?: object) => Promise<Readonly<Record<string, unknown>>>

export const callOf = ({ replication }: Pick<Kernel, 'replication'>, method: Method): Call => {
  const call = replication[method] as unknown as Call
  return (args, options) => call.call(replication, args, options)
}

/** The status and the message of a typed call's outcome. */
export async function outcomeOf(call: Promise<unknown>): Promise<{ readonly status: number; readonly said: string }> {
  try {
    await call
    return { status: 200, said: '' }
  } catch (error) {
    const { status, message } = error as { readonly status?: number; readonly message: string }
    if (status === undefined) throw error
    return { status, said: message }
  }
}
