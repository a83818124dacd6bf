/** DELETE sys/plugins/runtimes/catalog/:type/:name, as in OpenBao. */
import { notFound } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import { checkRuntimeType, RUNTIME_NAME, TYPE } from './fields.ts'
import { RUNTIME, runtimeId } from './records.ts'
import { checkUnused } from './users.ts'

/**
 * @throws KernelError 400 if `type` is not `container`, or if a version of a registered plugin uses the runtime.
 * @throws KernelError 404 if the runtime does not exist.
 */
export const deleteRuntime = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/plugins/runtimes/catalog/:type/:name',
  sudo: true,
  rootOnly: true,
  summary: 'Removes a plugin runtime that no registered plugin refers to.',
  fields: { type: TYPE, name: RUNTIME_NAME },
  returns: {},
  run: (tx, { type, name }) => {
    const id = runtimeId({ type: checkRuntimeType(type), name })
    if (!tx.get(RUNTIME, id)) throw notFound('plugin runtime not found')
    checkUnused(tx, name)
    tx.delete(RUNTIME, id)
    return undefined
  },
})
