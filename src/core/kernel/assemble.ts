/** Assembles the internal objects of a kernel from its options. */

import { leasesOf } from '../access/lease/lease-service.ts'
import { issueLogin } from '../access/login/issue-login.ts'
import { TokenSalt } from '../access/token/token-id.ts'
import { TokenUses } from '../access/token/uses.ts'
import { TokenAuthenticator } from '../access/token-authenticator.ts'
import { AuditLog } from '../audit/audit-log.ts'
import { Barrier } from '../barrier/barrier.ts'
import { systemEntropy } from '../base/entropy.ts'
import { base62 } from '../base/identifiers.ts'
import { APP } from '../contract/caller.ts'
import type { Engine } from '../contract/engine.ts'
import { KERNEL_EVENTS } from '../contract/event.ts'
import { ROOT_NAMESPACE } from '../contract/namespace.ts'
import type { Tracer } from '../contract/tracer.ts'
import type { Call } from '../contract/tx.ts'
import { LaneClaims } from '../due/claims.ts'
import type { AnyWorker } from '../due/tick.ts'
import { BodyBudget } from '../exchange/body-budget.ts'
import { KERNEL_MOUNT } from '../mount/kernel-mount.ts'
import { Topology } from '../mount/topology.ts'
import { Admission } from '../request/admission.ts'
import { AnyStateRoutes } from '../request/any-state-routes.ts'
import { PathResolver } from '../request/path-resolver.ts'
import { PathView } from '../request/path-view.ts'
import { ResponseWrapping } from '../request/response-wrapping.ts'
import { StateIndex } from '../request/state-index.ts'
import { SealKeeper } from '../seal/keeper.ts'
import type { DueEntry } from '../transaction/due-entry.ts'
import { Executor } from '../transaction/executor.ts'
import { BackgroundServices } from './background-services.ts'
import { boundSeal } from './bound-ports.ts'
import type { ClusterIdentity } from './cluster.ts'
import type { ParsedKernelOptions } from './options.ts'
import { portsOf } from './port-methods.ts'
import { createServiceRuntime, type ServiceRuntime } from './service-runtime.ts'

const DEFAULT_PREFIX = 'strongroom'

/** Vault's ciphertext prefix. A kernel with this prefix also returns result fields under Vault's names. */
const VAULT_PREFIX = 'vault'

const DEFAULT_HEADER_PREFIX = 'X-Service'

export interface KernelInternals extends ServiceRuntime {
  readonly topology: Topology
  readonly claims: LaneClaims
  readonly authority: TokenAuthenticator
  readonly admission: Admission
  readonly pathView: PathView
  /** The keys that encrypt the store. */
  readonly keeper: SealKeeper
  readonly audit: AuditLog
  readonly responseWrapping: ResponseWrapping
  readonly paths: PathResolver
  readonly tracer: Tracer
  readonly salt: TokenSalt
  /** Runs reads of the kernel's own records. */
  readonly core: Executor
  /** The call with which the kernel reads its own records: a trusted call in the root namespace. */
  readonly call: Call
  cluster: ClusterIdentity | undefined
  /** The root token; set only on the kernel that initialized the store. */
  rootToken: string | undefined
  /** The options of the kernel, for background services that read options of their own. */
  readonly options: ParsedKernelOptions
  readonly backgroundServices: BackgroundServices
  /**
   * For services that have no mount: functions that return the worker for an item of scheduled background work, keyed by the id of the
   * keyspace to which the item belongs.
   */
  readonly workers: Map<string, (entry: DueEntry) => Promise<AnyWorker>>
  /** The types of all events that the kernel and its engines publish. */
  readonly eventTypes: ReadonlySet<string>
  /** Functions that facades have registered, and that every `kernel.tick()` runs. */
  readonly tickTasks: Set<() => Promise<unknown>>
}

/** @param system The engine that serves `sys/`. Some of its operations answer even while the kernel is sealed or uninitialized. */
export function assemble(
  options: ParsedKernelOptions,
  engines: readonly Engine[],
  system: Engine,
  tracer: Tracer,
): KernelInternals {
  const headerPrefix = options.naming?.headerPrefix ?? DEFAULT_HEADER_PREFIX
  const entropy = options.entropy ?? systemEntropy()
  const barrier = new Barrier(entropy)
  const runtime = createServiceRuntime(
    { ...options, entropy },
    {
      ciphertextPrefix: options.naming?.ciphertextPrefix ?? DEFAULT_PREFIX,
      headerPrefix,
      ports: portsOf(engines),
      tracer,
      access: {
        issueLease: (tx, wish) => leasesOf(tx).issue(tx, wish),
        previewLease: (tx, terms) => leasesOf(tx).preview(tx, terms),
        issueLogin,
      },
      records: barrier,
    },
  )
  const { host, gate, deadline } = runtime
  const { clock, store } = host
  const { crypto } = host.env
  const salt = new TokenSalt()
  const topology = new Topology(host, engines)
  const authority = new TokenAuthenticator(host, topology)
  const call: Call = {
    caller: APP,
    mount: KERNEL_MOUNT,
    namespace: ROOT_NAMESPACE,
    path: '',
    sudo: true,
    recheck: undefined,
  }
  const place = topology.coreKeyspace(ROOT_NAMESPACE)
  const core = new Executor(host, place)
  const uses = new TokenUses(host, place, call)
  const audit = new AuditLog(host)
  const paths = new PathResolver(topology)
  const responseWrapping = new ResponseWrapping()
  const admission = new Admission({ authority, uses, look: (body) => core.read(body, call) })
  const pathView = new PathView({
    gate,
    clock,
    entropy,
    headerPrefix,
    vaultNames: host.env.ciphertextPrefix === VAULT_PREFIX,
    requireMarker: options.requireRequestHeader === true,
    topology,
    paths,
    system,
    admission,
    anyState: new AnyStateRoutes(system, core, call, entropy, () =>
      topology.servesNamespaces ? topology.namespaces : undefined,
    ),
    index: new StateIndex(host, headerPrefix),
    wrapper: responseWrapping,
    bodies: new BodyBudget(options.bodies?.parsedBytes),
    audit,
    tracer,
  })
  const internals: KernelInternals = {
    ...runtime,
    topology,
    authority,
    admission,
    salt,
    core,
    call,
    audit,
    responseWrapping,
    paths,
    tracer,
    pathView,
    cluster: undefined,
    claims: new LaneClaims(store, clock, base62(entropy, 16)),
    keeper: new SealKeeper({
      store,
      barrier,
      crypto,
      entropy,
      now: () => clock.now(),
      seal: boundSeal(options.seal, deadline),
      former: options.previousSeal && boundSeal(options.previousSeal, deadline),
      rotated: (term) => host.events.publishKernelEvent('barrier.rotated', { term }),
    }),
    rootToken: undefined,
    options,
    backgroundServices: new BackgroundServices(),
    workers: new Map(),
    eventTypes: new Set([...KERNEL_EVENTS, ...engines.flatMap(({ events = [] }) => events)]),
    tickTasks: new Set(),
  }
  return internals
}
