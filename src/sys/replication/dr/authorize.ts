/**
 * Who may change a secondary for disaster recovery. It serves no token of its primary, so whoever asks brings one of its own: made of shares, or a
 * batch token of the primary whose policies name the path.
 */
import { isInNetworks } from '../../../core/access/cidr.ts'
import { isBatchToken } from '../../../core/access/token/batch-token.ts'
import { conflict, invalid, KernelError } from '../../../core/base/errors.ts'
import type { Asked } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { isOperationToken } from '../../../core/seal/attempt/operation-token.ts'
import { REPLICATION, type ReplicationContext } from '../replication-context.ts'

/** Of every operation that {@link authorize} judges: in front of what else was sent by path, and where it runs. */
export const byOperationToken = <const P extends string>(path: P) =>
  ({
    kind: 'write',
    verb: 'POST',
    path,
    unauthenticated: true,
    rootOnly: true,
    onMirror: true,
    neverListed: true,
    authorizes: (asked: Asked, { dr_operation_token: token }: Readonly<Record<string, unknown>>) =>
      authorize(asked, path, typeof token === 'string' ? token : ''),
  }) as const

export const dr_operation_token = f
  .text(
    'An operation token of this cluster, or a batch token of the primary whose policies allow this. The application needs none.',
  )
  .default('')

/**
 * The role first, then the token. Whoever calls this judges the rest of the request behind it.
 * @param path Of the operation, below `sys/`.
 * @throws KernelError 400 unless a secondary for disaster recovery, and without a token; 403 for a token that is not good for this.
 */
export async function authorize(asked: Asked, path: string, token: string): Promise<ReplicationContext> {
  const { dr: context } = REPLICATION.of(asked)
  if (context.membership.mode !== 'secondary') throw conflict('the cluster is no DR secondary')
  if (token === '') {
    if (asked.call.caller.kind === 'app') return context
    throw invalid('dr_operation_token: must be given')
  }
  if (isBatchToken(token) ? await isAllowedByPolicies(context, asked, path, token) : await isOwnOperationToken(context, token))
    return context
  throw new KernelError('ERR_PERMISSION_DENIED', 'dr_operation_token: it is no token that is good for this')
}

const isOwnOperationToken = async ({ internals: { core, call } }: ReplicationContext, token: string): Promise<boolean> =>
  core.look((tx) => isOperationToken(tx, token), call)

/** @throws KernelError 403 for a token that is none, or has ended. */
async function isAllowedByPolicies(
  { internals }: ReplicationContext,
  { call }: Asked,
  path: string,
  token: string,
): Promise<boolean> {
  const { core, authority, topology } = internals
  await topology.fresh()
  const { acl, token: record } = await core.look((tx) => authority.find(tx, token), internals.call)
  const { bound_cidrs } = record
  if (bound_cidrs.length > 0 && !isInNetworks(call.remoteAddress, bound_cidrs)) return false
  return acl.decide({ operation: 'update', path: `sys${path}`, wrapTtl: 0, parameters: {} }).allowed
}
