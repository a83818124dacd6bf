/** GET and LIST below sys/plugins/runtimes/catalog, as in OpenBao. */
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { loadAllInGroups } from '../../../core/transaction/load-all.ts'
import type { RuntimeResult } from '../generated/api.ts'
import { checkRuntimeType, RUNTIME_NAME, RUNTIME_RESULT, RUNTIME_TYPES, type RuntimeType, TYPE } from './fields.ts'
import { RUNTIME, runtimeId } from './records.ts'

function read(tx: Tx, type: RuntimeType, name: string): RuntimeResult | undefined {
  const stored = tx.get(RUNTIME, runtimeId({ type, name }))
  return stored && { name, type, ...stored }
}

/**
 * @throws KernelError 400 if `type` is not `container`.
 * @throws KernelError 404 if the runtime does not exist.
 */
export const readRuntime = operation({
  kind: 'read',
  verb: 'GET',
  path: '/plugins/runtimes/catalog/:type/:name',
  sudo: true,
  rootOnly: true,
  summary: 'Shows the registration of a plugin runtime.',
  fields: { type: TYPE, name: RUNTIME_NAME },
  returns: RUNTIME_RESULT,
  run: (tx, { type, name }) => read(tx, checkRuntimeType(type), name),
})

/** The runtimes of one type, or those of all types, sorted by type and then by name in byte order. */
function all(tx: Tx, type: string): readonly RuntimeResult[] {
  const types = type === '' ? RUNTIME_TYPES : [checkRuntimeType(type)]
  const ids = types.flatMap((each) => tx.list(RUNTIME, { prefix: `${each}/` }).map((name) => [each, name] as const))
  // Omits a runtime that was deleted after the list was read.
  return loadAllInGroups(tx, 'runtimes', ids, ([each, name]) => read(tx, each, name)).filter((runtime) => runtime !== undefined)
}

const COMMON = {
  kind: 'read',
  path: '/plugins/runtimes/catalog',
  sudo: true,
  rootOnly: true,
  summary: 'Lists the plugin runtimes, by name in byte order.',
  fields: { type: f.word<RuntimeType>('List only runtimes of this type: `container`. Default: all types.').default('') },
  returns: { runtimes: f.json<readonly RuntimeResult[]>('The registered runtimes.', { type: 'array' }) },
} as const

/** @throws KernelError 400 if `type` is not `container`. */
export const listRuntimes = operation({
  ...COMMON,
  verb: 'GET',
  run: (tx, { type }) => ({ runtimes: all(tx, type) }),
})

/** Lists the runtimes for the verb LIST. If there are no runtimes, the response has status 404. */
export const listRuntimesByVerb = operation({
  ...COMMON,
  verb: 'LIST',
  run: (tx, { type }) => {
    const runtimes = all(tx, type)
    return runtimes.length > 0 ? { runtimes } : undefined
  },
})
