/** sys/capabilities, sys/capabilities-self and sys/capabilities-accessor, as in Vault. */

import { callerOfAccessor } from '../../core/access/token/by-accessor.ts'
import { TOKEN_AUTHENTICATOR } from '../../core/access/token-authenticator.ts'
import { invalid, KernelError, notFound } from '../../core/base/errors.ts'
import { Pace, runToEnd, type Steps } from '../../core/base/steps.ts'
import type { TokenCaller } from '../../core/contract/caller.ts'
import type { NamespaceRecord } from '../../core/contract/namespace.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { TOPOLOGY, type Topology } from '../../core/mount/topology.ts'
import type { Granted } from '../../core/policy/index.ts'
import { authorizedPathAt } from '../../core/request/authorized-path.ts'

const MAX_PATHS = 10_000

const PATHS = {
  paths: f.list('Paths, relative to the namespace of this call; at most 10,000.', MAX_PATHS).default([]),
  path: f.list('Another name for `paths`. If both are given, `paths` takes precedence.', MAX_PATHS).default([]),
}

const RESULT = {
  by_path: f.json<Readonly<Record<string, readonly Granted[]>>>(
    'The capabilities at each path, sorted; `["deny"]` for no capability, `["root"]` for all.',
  ),
  capabilities: f
    .json<readonly Granted[]>('The capabilities at the path, if the request contains exactly one path.', { type: 'array' })
    .optional(),
}

interface RequestedPaths {
  readonly paths: readonly string[]
  readonly path: readonly string[]
}

interface PathCapabilities {
  readonly by_path: Readonly<Record<string, readonly Granted[]>>
  readonly capabilities?: readonly Granted[]
}

const wire = ({ by_path, capabilities }: PathCapabilities) => ({
  data: capabilities ? { ...by_path, capabilities } : by_path,
  repeated: true as const,
})

function showCapabilities(tx: Tx, caller: TokenCaller | undefined, requested: RequestedPaths): PathCapabilities {
  const all = requested.paths.length > 0 ? requested.paths : requested.path
  if (all.includes('')) throw invalid('paths: missing path')
  const make = () => capabilitiesAt(TOPOLOGY.of(tx), tx.call.namespace, caller, all)
  const by_path = all.length <= FEW ? runToEnd(make()) : tx.steps('capabilities', make, 'attempt')
  const [only] = all
  return all.length === 1 && only !== undefined ? { by_path, capabilities: by_path[only] ?? [] } : { by_path }
}

/** The maximum number of paths that the lookup handles without yielding. */
const FEW = 8

/** The estimated cost of a path: a constant, plus an amount for each character. */
const ROUTE_MICROSECONDS = 5

const CHARACTERS_PER_MICROSECOND = 50

function* capabilitiesAt(
  topology: Topology,
  namespace: NamespaceRecord,
  caller: TokenCaller | undefined,
  paths: readonly string[],
): Steps<PathCapabilities['by_path']> {
  const pace = new Pace()
  const by_path: Record<string, readonly Granted[]> = Object.create(null)
  for (const path of paths) {
    by_path[path] = caller ? yield* grantedAt(topology, namespace, caller, path) : ['root']
    if (caller && pace.spend(caller.acl.lookupMicroseconds + ROUTE_MICROSECONDS + path.length / CHARACTERS_PER_MICROSECOND)) yield
  }
  return by_path
}

/** A path in a non-canonical spelling has the capabilities of the record's canonical path. */
function* grantedAt(
  topology: Topology,
  namespace: NamespaceRecord,
  { acl }: TokenCaller,
  text: string,
): Steps<readonly Granted[]> {
  const path = authorizedPathAt(topology, namespace, text.startsWith('/') ? text.slice(1) : text, undefined)
  if (!acl.isPrepared(path)) yield* acl.prepare(path)
  return acl.capabilities(path)
}

function check({ paths, path }: RequestedPaths): void {
  if (paths.length + path.length === 0) throw invalid('paths: paths must be supplied')
}

/**
 * @throws KernelError 400 if no path is given, if a path is empty, if more than 10,000 paths are given, or if the given token is invalid.
 * @example
 * const { by_path } = await kernel.policies.capabilities({ token, paths: ['transit/encrypt/orders'] })
 */
export const capabilities = operation({
  kind: 'read',
  verb: 'POST',
  path: '/capabilities',
  summary: 'Returns the capabilities of a token at the given paths.',
  fields: { ...PATHS, token: f.text('The token.').default('') },
  returns: RESULT,
  wire,
  run: (tx, input) => {
    check(input)
    if (input.token === '') throw invalid('token: is required')
    return showCapabilities(
      tx,
      known(() => TOKEN_AUTHENTICATOR.of(tx).find(tx, input.token), 'token: invalid token'),
      input,
    )
  },
})

/** @throws KernelError 400 if no path is given, if a path is empty, or if more than 10,000 paths are given. */
export const capabilitiesSelf = operation({
  kind: 'read',
  verb: 'POST',
  path: '/capabilities-self',
  summary: 'Returns the capabilities of the caller at the given paths.',
  fields: { ...PATHS, token: f.text('Ignored.').default('') },
  returns: RESULT,
  wire,
  run: (tx, input) => {
    check(input)
    const { caller } = tx.call
    return showCapabilities(tx, caller.kind === 'token' ? caller : undefined, input)
  },
})

/**
 * @throws KernelError 400 if no path is given, if a path is empty, if more than 10,000 paths are given, or if no token has the accessor.
 */
export const capabilitiesAccessor = operation({
  kind: 'read',
  verb: 'POST',
  path: '/capabilities-accessor',
  summary: 'Returns the capabilities of a token, identified by its accessor, at the given paths.',
  fields: { ...PATHS, accessor: f.text('The accessor.').needed('') },
  returns: RESULT,
  wire,
  run: (tx, input) => {
    if (input.accessor === '') throw invalid('accessor: missing accessor')
    check(input)
    return showCapabilities(
      tx,
      known(() => callerOfAccessor(tx, input.accessor), 'accessor: invalid accessor'),
      input,
    )
  },
})

/** Here the token is a parameter, so an invalid one is an invalid parameter, not a failed authentication. */
function known(find: () => TokenCaller, message: string): TokenCaller {
  try {
    return find()
  } catch (error) {
    if (error instanceof KernelError && error.code === 'ERR_PERMISSION_DENIED') throw notFound(message, 400)
    throw error
  }
}
