/** Assembles the internal objects of a kernel from its options. */

import { leasesOf } from '../access/lease/lease-service.ts'
import { TokenSalt } from '../access/token/token-id.ts'
import { TokenUses } from '../access/token/uses.ts'
import { TokenAuthenticator } from '../access/token-authenticator.ts'
import { AuditLog } from '../audit/audit-log.ts'
import { Barrier } from '../barrier/barrier.ts'
import { DeferredCode } from '../base/deferred-code.ts'
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
import { KERNEL_MOUNT } from '../mount/kernel-mount.ts'
import { Topology } from '../mount/topology.ts'
import { Admission } from '../request/admission.ts'
import { ResponseWrapping } from '../request/response-wrapping.ts'
import { SealKeeper } from '../seal/keeper.ts'
import type { DueEntry } from '../transaction/due-entry.ts'
import { Executor } from '../transaction/executor.ts'
import { type HelpRoutes, unknownRoute } from '../transaction/route-table.ts'
import { BackgroundServices } from './background-services.ts'
import { boundSeal } from './bound-ports.ts'
import type { ClusterIdentity } from './cluster.ts'
import type { ParsedKernelOptions } from './options.ts'
import { portsOf } from './port-methods.ts'
import { createServiceRuntime, type ServiceRuntime } from './service-runtime.ts'

/** A transaction that needs logins loads their code and runs again. */
const LOGINS = /* @__PURE__ */ new DeferredCode('logins', () => import('../access/login/issue-login.ts'))

const DEFAULT_PREFIX = 'strongroom'

const DEFAULT_HEADER_PREFIX = 'X-Service'

export interface KernelInternals extends ServiceRuntime {
  readonly topology: Topology
  readonly claims: LaneClaims
  readonly authority: TokenAuthenticator
  readonly admission: Admission
  /** The keys that encrypt the store. */
  readonly keeper: SealKeeper
  readonly audit: AuditLog
  readonly responseWrapping: ResponseWrapping
  /** Returns the routes of help requests. The part `help()` replaces it; without that part, every help request has an unknown path. */
  readonly help: HelpRoutes
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

export function assemble(options: ParsedKernelOptions, engines: readonly Engine[], tracer: Tracer): KernelInternals {
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
        issueLogin: (tx, request) => LOGINS.code.issueLogin(tx, request),
      },
      records: barrier,
    },
  )
  const { host, deadline } = runtime
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
  const responseWrapping = new ResponseWrapping()
  const admission = new Admission({ authority, uses, look: (body) => core.read(body, call) })
  return {
    ...runtime,
    topology,
    authority,
    admission,
    salt,
    core,
    call,
    audit,
    responseWrapping,
    tracer,
    help: { route: unknownRoute },
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
}
