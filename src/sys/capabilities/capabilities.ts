/** sys/capabilities, -self and -accessor (source: behaviour of the originals). */
import { AUTHORITY } from '../../core/auth/authority.ts'
import type { TokenCaller } from '../../core/auth/caller.ts'
import { callerOfAccessor } from '../../core/auth/token/by-accessor.ts'
import { invalid, KernelError } from '../../core/errors.ts'
import { f } from '../../core/operation/fields.ts'
import { operation } from '../../core/operation/operation.ts'
import type { Tx } from '../../core/transaction/tx.ts'

const PATHS = {
  paths: f.list('Paths, relative to the namespace of this call.').default([]),
  path: f.list('The same; `paths` wins.').default([]),
}
const RESULT = {
  by_path: f.json<Readonly<Record<string, readonly string[]>>>(
    'The capabilities at each path, sorted; `["deny"]` for none, `["root"]` for all.',
  ),
  capabilities: f.json<readonly string[]>('Those at the path, where exactly one was named.', { type: 'array' }).optional(),
}

interface Asked {
  readonly paths: readonly string[]
  readonly path: readonly string[]
}

interface Told {
  readonly by_path: Readonly<Record<string, readonly string[]>>
  readonly capabilities?: readonly string[]
}

const wire = ({ by_path, capabilities }: Told) => ({
  data: capabilities ? { ...by_path, capabilities } : by_path,
  repeated: true as const,
})

function tell(tx: Tx, caller: TokenCaller | undefined, { paths, path }: Asked): Told {
  const asked = paths.length > 0 ? paths : path
  const by_path: Record<string, readonly string[]> = Object.create(null)
  for (const one of asked) {
    if (one === '') throw invalid('paths: missing path')
    by_path[one] = caller ? caller.acl.capabilities(tx.call.namespace.path + one.replace(/^\//, '')) : ['root']
  }
  const [only] = asked
  return asked.length === 1 && only !== undefined ? { by_path, capabilities: by_path[only] ?? [] } : { by_path }
}

function check({ paths, path }: Asked): void {
  if (paths.length + path.length === 0) throw invalid('paths: paths must be supplied')
}

export const capabilities = operation({
  kind: 'read',
  verb: 'POST',
  path: '/capabilities',
  summary: 'Tells what a token may do at some paths.',
  fields: { ...PATHS, token: f.text('The token.').default('') },
  returns: RESULT,
  wire,
  run: (tx, input) => {
    check(input)
    if (input.token === '') throw invalid('token: is required')
    return tell(
      tx,
      known(() => AUTHORITY.of(tx).find(tx, input.token), 'token: invalid token'),
      input,
    )
  },
})

export const capabilitiesSelf = operation({
  kind: 'read',
  verb: 'POST',
  path: '/capabilities-self',
  summary: 'Tells what the caller may do at some paths.',
  fields: { ...PATHS, token: f.text('Not looked at.').default('') },
  returns: RESULT,
  wire,
  run: (tx, input) => {
    check(input)
    const { caller } = tx.call
    return tell(tx, caller.kind === 'token' ? caller : undefined, input)
  },
})

export const capabilitiesAccessor = operation({
  kind: 'read',
  verb: 'POST',
  path: '/capabilities-accessor',
  summary: 'Tells what the token with an accessor may do at some paths.',
  fields: { ...PATHS, accessor: f.text('The accessor.').default('') },
  returns: RESULT,
  wire,
  run: (tx, input) => {
    if (input.accessor === '') throw invalid('accessor: missing accessor')
    check(input)
    return tell(
      tx,
      known(() => callerOfAccessor(tx, input.accessor), 'accessor: invalid accessor'),
      input,
    )
  },
})

/** Here a token that is not good is a wrong parameter, not a refused caller. */
function known(find: () => TokenCaller, message: string): TokenCaller {
  try {
    return find()
  } catch (error) {
    if (error instanceof KernelError && error.code === 'ERR_PERMISSION_DENIED') throw invalid(message)
    throw error
  }
}
