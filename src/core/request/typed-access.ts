/**
 * Where a typed call goes, and on whose behalf. Room: core/request. Imported by the typed view and the composition root.
 */
import { APP, type TokenCaller } from '../auth/caller.ts'
import { encodeBase64 } from '../base64.ts'
import { KernelError } from '../errors.ts'
import type { Mount } from '../mount/mount.ts'
import type { Topology } from '../mount/topology.ts'
import type { NamespaceRecord } from '../namespace/namespace.ts'
import type { AnyOperation } from '../operation/operation.ts'
import type { Values } from '../operation/parse.ts'
import { PathPattern } from '../operation/path-pattern.ts'
import { type Admission, type Admitted, type Ask, callOf } from './admission.ts'
import type { Call } from './call.ts'
import { homeOf } from './follow.ts'

/** What a call runs on. */
export interface Spot {
  readonly mount: Mount
  readonly call: Call
}

/** Enters the mount at a path that is looked up at every call, since mounts come and go. */
export interface TypedAccess {
  enter<T>(operation: AnyOperation, input: Values, run: (spot: Spot) => T | Promise<T>): T | Promise<T>
}

export interface AccessParts {
  readonly topology: Topology
  readonly admission: Admission
  /** Of the namespace, with a slash at the end; empty for the root. */
  readonly namespace: string
  readonly path: string
  readonly type: string
}

/** A token to act with, instead of the application's own authority. */
export interface Bearer {
  readonly token: string
  readonly remoteAddress: string | undefined
}

/** With the application's own authority: it asks nobody. */
export function appAccess(parts: AccessParts): TypedAccess {
  const { topology } = parts
  let known: { readonly spot: Spot; readonly in: object } | undefined
  const spotIn = (home: NamespaceRecord | undefined): Spot => {
    const { namespace, mount } = find(parts, home)
    return { mount, call: { caller: APP, mount: mount.record, namespace, path: '', sudo: true, recheck: undefined } }
  }
  const spot = (operation: AnyOperation, input: Values): Spot => {
    const home = operation.follows && homeOf(operation, input, {}, APP, topology.namespaces)
    if (home) return spotIn(home)
    if (known?.in !== topology.current) known = { spot: spotIn(undefined), in: topology.current }
    return known.spot
  }
  return {
    enter(operation, input, run) {
      const stale = topology.fresh()
      const at = () => {
        const found = spot(operation, input)
        return operation.kind === 'write' ? withPath(found, operation, input) : found
      }
      return stale ? stale.then(() => run(at())) : run(at())
    },
  }
}

/** What a write makes may be called after the request that made it, as leases are. */
function withPath({ mount, call }: Spot, operation: AnyOperation, input: Values): Spot {
  return { mount, call: { ...call, path: pathTo(mount, PathPattern.of(operation.path).fill(input, {})) } }
}

/** With a token: judged by its policies at every call, as the same request to the path view would be. */
export function tokenAccess(parts: AccessParts, { token, remoteAddress }: Bearer): TypedAccess {
  const { admission, topology } = parts
  const enter = <T>(operation: AnyOperation, input: Values, run: (spot: Spot) => T | Promise<T>): T | Promise<T> => {
    const found = admission.authenticate(token, remoteAddress)
    const judge = (caller: TokenCaller) => {
      const { namespace, mount } = find(parts, homeOf(operation, input, {}, caller, topology.namespaces))
      const ask = askOf(operation, input, namespace, mount, remoteAddress)
      const go = (admitted: Admitted): T | Promise<T> => {
        const work = () => run({ mount, call: callOf(ask, mount, admitted) })
        if (!admitted.after) return work()
        return (async () => work())().finally(admitted.after)
      }
      const admitted = admission.admit(ask, caller)
      return admitted instanceof Promise ? admitted.then(go) : go(admitted)
    }
    return found instanceof Promise ? found.then(judge) : judge(found)
  }
  return {
    enter(operation, input, run) {
      const stale = topology.fresh()
      return stale ? stale.then(() => enter(operation, input, run)) : enter(operation, input, run)
    },
  }
}

const pathTo = ({ record }: Mount, below: string): string => (below === '' ? record.path.slice(0, -1) : record.path + below)

/** @param home Where the operation goes by itself. */
function find(
  { topology, namespace: path, path: at, type }: AccessParts,
  home: NamespaceRecord | undefined,
): { namespace: NamespaceRecord; mount: Mount } {
  const namespace = home ?? topology.namespaces.byPath(path)
  if (!namespace) throw new KernelError('ERR_UNSUPPORTED_PATH', `there is no namespace ${path}`)
  return { namespace, mount: topology.mounts.at(namespace, at, type) }
}

function askOf(
  operation: AnyOperation,
  input: Values,
  namespace: NamespaceRecord,
  mount: Mount,
  remoteAddress: string | undefined,
): Ask {
  const captures: Record<string, string> = {}
  const below = PathPattern.of(operation.path).fill(input, captures)
  return {
    verb: operation.verb,
    namespace,
    path: pathTo(mount, below),
    trailingSlash: false,
    mount,
    operation,
    captures,
    parameters: () => wireForm(input),
    wrapTtl: 0,
    remoteAddress,
  }
}

/** Parameters as a policy knows them. */
const wireForm = (input: Values): Values =>
  Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value instanceof Uint8Array ? encodeBase64(value) : value]),
  )
