/**
 * A cloud in memory: IAM and STS by AWS's rules, and trouble when it is told to have some.
 */
import type { CloudFailure, CloudFailureReason, CloudProvider, CloudSettings } from '../../engines/cloud/port.ts'
import { actionOf, serviceOf } from './actions.ts'
import { type Bends, bendsOf } from './bend.ts'
import { type Ask, type CarryOut, clientOver, actionOf as nameOf } from './client.ts'
import type { FakeCloudOptions } from './options.ts'
import { AwsRefusal } from './refusal.ts'
import type { Caller, FakeCloudDelays, FakeCloudExtra, FakeCloudKey, FakeCloudUser } from './state.ts'
import { type CloudCall, type CloudTrouble, type Met, Troubles } from './trouble.ts'
import { World } from './world.ts'

/** One call of the port, as it was made. */
export interface CloudCallRecord {
  readonly call: CloudCall
  readonly request: object
  readonly access_key: string
}

export interface FakeCloudProviderOptions extends FakeCloudOptions {
  /** What is used where the settings have no keys. */
  readonly ambient?: { readonly access_key: string; readonly secret_key: string }
  readonly ready?: CloudProvider['ready']
  readonly ready_timeout_ms?: number
  /** Every call waits for it before it is applied. */
  readonly pause?: (call: CloudCall) => Promise<void>
}

export interface FakeCloudProvider extends CloudProvider {
  /** An endpoint. A path behind it bends answers: `${url}/CreateUser.AccessDenied/paged`. */
  readonly url: string
  readonly users: ReadonlyMap<string, FakeCloudUser>
  /** All calls, in order. */
  readonly calls: readonly CloudCallRecord[]
  /** How many calls were under way at once, at most. */
  readonly most_in_flight: number
  readonly in_flight: number
  /** Clients that were not closed yet. */
  readonly open: number
  /** Eventual consistency; default: none. */
  readonly delays: FakeCloudDelays
  /** Whether the cloud takes these credentials at present. */
  works(access_key: string, secret_key: string, security_token?: string): boolean
  /** A user that somebody else made. */
  addUser(name: string, more?: { readonly keys?: number; readonly extras?: readonly FakeCloudExtra[] }): FakeCloudUser
  /** Somebody else deletes a user, with all it has. */
  removeUser(name: string): void
  /** Somebody else makes a key. */
  addKey(name: string): FakeCloudKey
  /** The next calls of that kind meet it. Trouble that was given earlier comes first. Returns what takes it back. */
  trouble(trouble: CloudTrouble): () => void
}

const failure = (reason: CloudFailureReason, code: string): CloudFailure =>
  Object.assign(new Error(`fakeCloudProvider: ${code}`), { reason, code })

/** Nothing answers at port 1. */
const NOBODY = '1'

interface Target {
  readonly bends: Bends
  readonly reachable: boolean
}

function targetOf(endpoint = ''): Target {
  if (endpoint === '') return { bends: bendsOf(''), reachable: true }
  const { pathname, port } = new URL(endpoint.includes('://') ? endpoint : `https://${endpoint}`)
  return { bends: bendsOf(pathname), reachable: port !== NOBODY }
}

/**
 * Stands in for AWS: at most two keys a user, delete conflicts, names, paths, policies, durations and pages as AWS has them. Every caller
 * may do everything. Without options any access key is known, with a user of its own, and any managed policy and role exists.
 */
export function fakeCloudProvider(options: FakeCloudProviderOptions = {}): FakeCloudProvider {
  const { ambient, ready, ready_timeout_ms, pause } = options
  const world = new World(options)
  const troubles = new Troubles()
  const calls: CloudCallRecord[] = []
  let flying = 0
  let most = 0
  let open = 0

  const meet = async ({ manner, code }: Met, signal: AbortSignal): Promise<never> => {
    if (manner instanceof Error) throw manner
    if (manner === 'unreachable') throw failure('unavailable', 'ECONNREFUSED')
    if (manner === 'loses') throw failure('unavailable', 'ECONNRESET')
    if (manner === 'garbles') throw failure('unknown', 'SyntaxError')
    if (manner !== 'hangs' && manner !== 'deaf') throw failure(new AwsRefusal(code).reason, code)
    await new Promise<void>((resolve) => {
      if (manner === 'hangs') signal.addEventListener('abort', () => resolve(), { once: true })
      if (manner === 'hangs' && signal.aborted) resolve()
    })
    throw failure('unavailable', 'AbortError')
  }

  const connect = (settings: CloudSettings) => {
    const targets = { iam: targetOf(settings.iamEndpoint), sts: targetOf(settings.stsEndpoint) }
    const access_key = settings.accessKey ?? ambient?.access_key ?? ''
    const secret_key = settings.secretKey ?? ambient?.secret_key ?? ''
    let closed = false
    open++

    const asking =
      ({ bends }: Target, caller: Caller, call: CloudCall): Ask =>
      (action, params) => {
        // One call of the port may be several actions.
        const met = action === nameOf(call) ? undefined : bends.met(action)
        if (met?.manner === 'refuses') throw new AwsRefusal(met.code)
        return bends.bent(action, actionOf(serviceOf(action), action)({ world, caller, params, most: bends.most }))
      }

    const authenticated = (): Caller => {
      if (access_key === '') throw new AwsRefusal('MissingAuthenticationToken')
      return world.authenticate(access_key, secret_key)
    }

    const run = async <T>(call: CloudCall, signal: AbortSignal, apply: (ask: Ask) => T): Promise<T> => {
      const target = targets[serviceOf(nameOf(call))]
      await pause?.(call)
      if (closed || signal.aborted) throw failure('unavailable', 'AbortError')
      const met = troubles.next(call) ?? target.bends.met(nameOf(call))
      if (!target.reachable) throw failure('unavailable', 'ECONNREFUSED')
      if (met?.when === 'before') await meet(met, signal)
      try {
        return apply(asking(target, authenticated(), call))
      } finally {
        // Nobody hears of a refusal either.
        if (met?.when === 'after') await meet(met, signal)
      }
    }

    const carryOut: CarryOut = async (call, request, signal, apply) => {
      calls.push({ call, request, access_key })
      most = Math.max(most, ++flying)
      try {
        return await run(call, signal, apply)
      } catch (error) {
        throw error instanceof AwsRefusal ? failure(error.reason, error.code) : error
      } finally {
        flying--
      }
    }

    return clientOver(carryOut, () => {
      if (!closed) open--
      closed = true
    })
  }

  return {
    url: 'http://cloud.test',
    ...(ambient && { ambient: true }),
    ...(ready && { ready }),
    ...(ready_timeout_ms !== undefined && { ready_timeout_ms }),
    connect,
    users: world.users,
    calls,
    delays: world.delays,
    get most_in_flight() {
      return most
    },
    get in_flight() {
      return flying
    },
    get open() {
      return open
    },
    works(access_key, secret_key, security_token) {
      return world.takes(access_key, secret_key, security_token)
    },
    addUser: (name, more) => world.strangerUser(name, more),
    addKey: (name) => world.addKey(world.user(name), { seen: true }),
    removeUser: (name) => world.removeUser(world.user(name)),
    trouble: (trouble) => troubles.tell(trouble),
  }
}
