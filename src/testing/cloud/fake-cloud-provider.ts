import { type OptionDuration, readOptions } from '../../core/base/options.ts'
import type { CloudClient, CloudFailure, CloudFailureReason, CloudProvider, CloudSettings } from '../../engines/cloud/port.ts'
import { actionOf, serviceOf } from './actions.ts'
import { fakeCloudClient, actionName as nameOf, type PerformCall, type RunAction } from './client.ts'
import { type EndpointBehavior, endpointBehavior } from './endpoint-behavior.ts'
import { type FakeCloud, FakeCloudCore, type FakeCloudSetup } from './fake-cloud.ts'
import { AwsRefusal } from './refusal.ts'
import type { CloudCaller } from './state.ts'
import type { CloudCall, MetTrouble } from './trouble.ts'

export interface FakeCloudProviderOptions extends FakeCloudSetup {
  /** The ambient credentials, which clients use if their settings have no keys. */
  readonly ambient?: { readonly access_key: string; readonly secret_key: string }
  /** Namespaces whose mounts may use the ambient credentials. Default: only the root namespace. */
  readonly namespaces?: readonly string[]
  readonly ready?: CloudProvider['ready']
  readonly readyTimeoutMs?: OptionDuration
}

export interface FakeCloudProvider extends CloudProvider, FakeCloud {
  /**
   * The endpoint to use in settings. Append a path to change how the fake behaves, such as
   * `${url}/CreateUser.AccessDenied/paged`.
   */
  readonly url: string
  /** The number of open clients. */
  readonly open: number
}

const cloudFailure = (reason: CloudFailureReason, code: string): CloudFailure =>
  Object.assign(new Error(`fakeCloudProvider: ${code}`), { reason, code })

/** The fake treats an endpoint with this port as unreachable. */
const CLOSED_PORT = '1'

interface FakeEndpoint {
  readonly behavior: EndpointBehavior
  readonly reachable: boolean
}

function parseEndpoint(endpoint = ''): FakeEndpoint {
  if (endpoint === '') return { behavior: endpointBehavior(''), reachable: true }
  const { pathname, port } = new URL(endpoint.includes('://') ? endpoint : `https://${endpoint}`)
  return { behavior: endpointBehavior(pathname), reachable: port !== CLOSED_PORT }
}

async function applyTrouble({ manner, code }: MetTrouble, signal: AbortSignal): Promise<never> {
  if (manner instanceof Error) throw manner
  if (manner === 'unreachable') throw cloudFailure('unavailable', 'ECONNREFUSED')
  if (manner === 'loses') throw cloudFailure('unavailable', 'ECONNRESET')
  if (manner === 'garbles') throw cloudFailure('unknown', 'SyntaxError')
  if (manner !== 'hangs' && manner !== 'deaf') throw new AwsRefusal(code)
  await new Promise<void>((resolve) => {
    if (manner === 'hangs') signal.addEventListener('abort', () => resolve(), { once: true })
    if (manner === 'hangs' && signal.aborted) resolve()
  })
  throw cloudFailure('unavailable', 'AbortError')
}

interface AccessKeyPair {
  readonly access_key: string
  readonly secret_key: string
}

class InMemoryCloudProvider extends FakeCloudCore implements FakeCloudProvider {
  readonly url = 'http://cloud.test'
  readonly #ambient: AccessKeyPair | undefined
  #open = 0

  constructor({ ambient, ...setup }: FakeCloudProviderOptions) {
    super(setup)
    this.#ambient = ambient
  }

  get open(): number {
    return this.#open
  }

  readonly connect = (settings: CloudSettings): CloudClient => {
    const targets = { iam: parseEndpoint(settings.iamEndpoint), sts: parseEndpoint(settings.stsEndpoint) }
    const keys: AccessKeyPair = {
      access_key: settings.accessKey ?? this.#ambient?.access_key ?? '',
      secret_key: settings.secretKey ?? this.#ambient?.secret_key ?? '',
    }
    let closed = false
    this.#open++

    const carryOut: PerformCall = async (call, request, signal, apply) => {
      try {
        return await this.track({ call, request, access_key: keys.access_key }, async (trouble) => {
          const { behavior, reachable } = targets[serviceOf(nameOf(call))]
          if (closed || signal.aborted) throw cloudFailure('unavailable', 'AbortError')
          if (!reachable) throw cloudFailure('unavailable', 'ECONNREFUSED')
          const met = trouble ?? behavior.troubleFor(nameOf(call))
          if (met?.when === 'before') await applyTrouble(met, signal)
          try {
            return apply(this.#asking(behavior, this.#authenticate(keys), call))
          } finally {
            // Runs even if the fake cloud has refused the call: the failure that the test added then replaces the refusal.
            if (met?.when === 'after') await applyTrouble(met, signal)
          }
        })
      } catch (error) {
        throw error instanceof AwsRefusal ? cloudFailure(error.reason, error.code) : error
      }
    }

    return fakeCloudClient(carryOut, () => {
      if (!closed) this.#open--
      closed = true
    })
  }

  #authenticate({ access_key, secret_key }: AccessKeyPair): CloudCaller {
    if (access_key === '') throw new AwsRefusal('MissingAuthenticationToken')
    return this.world.authenticate(access_key, secret_key)
  }

  #asking(behavior: EndpointBehavior, caller: CloudCaller, call: CloudCall): RunAction {
    return (action, params) => {
      // A client method can perform several actions. The caller has already handled failures of the action with the method's name, so look
      // only for failures of the others.
      const met = action === nameOf(call) ? undefined : behavior.troubleFor(action)
      if (met?.manner === 'refuses') throw new AwsRefusal(met.code)
      const run = actionOf(serviceOf(action), action)
      return behavior.modifyAnswer(action, run({ world: this.world, caller, params, pageLimit: behavior.pageLimit }))
    }
  }
}

const OPTION_NAMES = {
  account: 1,
  root: 1,
  users: 1,
  groups: 1,
  policies: 1,
  roles: 1,
  now: 1,
  pause: 1,
  ambient: 1,
  namespaces: 1,
  ready: 1,
  readyTimeoutMs: 1,
}

/**
 * Returns a cloud provider in memory, for tests. It follows AWS's rules for names, paths, policies, durations and pages, allows two keys
 * per user, and refuses to delete a user that still has keys, policies or other objects. Every caller has all permissions. Without options,
 * it accepts every access key, each of which belongs to a user of its own, and every managed policy and role exists.
 */
export function fakeCloudProvider(given: FakeCloudProviderOptions = {}): FakeCloudProvider {
  const options = readOptions('fakeCloudProvider', given, OPTION_NAMES)
  const { ready, readyTimeoutMs, namespaces } = options
  return Object.assign(
    new InMemoryCloudProvider(options),
    ready && { ready },
    readyTimeoutMs !== undefined && { readyTimeoutMs },
    {
      ambient: options.ambient !== undefined,
      ...(namespaces && { ambient_namespaces: namespaces }),
    },
  )
}
