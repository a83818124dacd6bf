/** POST sys/wrapping/wrap, as in Vault. */
import { wrapAnswer } from '../../core/access/wrapping/wrapping-token.ts'
import { invalid } from '../../core/base/errors.ts'
import { uuid } from '../../core/base/identifiers.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { WRAP_INFO, wireWrapInfo } from './fields.ts'

/**
 * @throws KernelError 400 if `ttl` is missing or below one second.
 * @throws KernelError 413 if the object is too large for the storage.
 * @example
 * const { token } = await kernel.wrapping.wrap({ data: { password: 's3cret' }, ttl: '10m' })
 */
export const wrap = operation({
  kind: 'write',
  verb: 'POST',
  path: '/wrapping/wrap',
  summary: 'Stores an object. The returned wrapping token can read the object once.',
  fields: {
    data: f.document('The object to store.'),
    ttl: f
      .duration(
        'The lifetime of the stored object. In calls by path, the header for the wrapping lifetime sets it, such as `X-Vault-Wrap-TTL` or `X-Service-Wrap-TTL`.',
      )
      .optional(),
  },
  body: 'data',
  returns: WRAP_INFO,
  wire: wireWrapInfo,
  run: (tx, { data, ttl: asked }) => {
    const { wrap: wanted } = tx.call
    const ttl = asked ?? wanted?.ttl ?? 0
    if (ttl < 1) throw invalid('ttl: endpoint requires response wrapping to be used')
    const answer = `{"request_id":"${uuid(tx.env.entropy.bytes(16))}","lease_id":"","renewable":false,"lease_duration":0,"data":${data},"wrap_info":null,"warnings":null,"auth":null,"mount_type":"${tx.call.mount.type}"}`
    const format = wanted?.format ?? 'token'
    return wrapAnswer(tx, { answer, status: 200, ttl, path: 'sys/wrapping/wrap', wrappedAccessor: undefined, format })
  },
})
