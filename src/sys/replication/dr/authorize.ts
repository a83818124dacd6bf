/**
 * Decides who may change a DR secondary. A DR secondary accepts no ordinary tokens of its primary. Callers need an operation token, which
 * is created with key shares of this cluster, or a batch token of the primary whose policies allow the path.
 */
import { isInNetworks } from '../../../core/access/cidr.ts'
import { isBatchToken } from '../../../core/access/token/batch-token.ts'
import { conflict, invalid, KernelError } from '../../../core/base/errors.ts'
import type { OperationContext } from '../../../core/contract/operation-context.ts'
import { f } from '../../../core/field/fields.ts'
import { isOperationToken } from '../../../core/seal/attempt/operation-token.ts'
import { REPLICATION, type ReplicationContext } from '../replication-context.ts'

/**
 * The common properties of operations that {@link authorizeDrOperation} protects. For a request by path, the check runs before the other
 * parameters are read, and again when the operation runs.
 */
export const byOperationToken = <const P extends string>(path: P) =>
  ({
    kind: 'write',
    verb: 'POST',
    path,
    unauthenticated: true,
    rootOnly: true,
    onDrSecondary: true,
    neverListed: true,
    authorizes: (asked: OperationContext, { dr_operation_token: token }: Readonly<Record<string, unknown>>) =>
      authorizeDrOperation(asked, path, typeof token === 'string' ? token : ''),
  }) as const

export const dr_operation_token = f
  .text(
    'An operation token of this cluster, or a batch token of the primary whose policies allow this path. Not needed when the application calls the method itself.',
  )
  .default('')

/**
 * Checks first that this cluster is a DR secondary, then the token. Call this function before validating the other parameters.
 *
 * @param path The path of the operation, below `sys/`.
 * @throws KernelError 400 if this cluster is not a DR secondary, or if the token is missing and the caller is not the application; 403 if
 * the token does not allow the operation.
 */
export async function authorizeDrOperation(asked: OperationContext, path: string, token: string): Promise<ReplicationContext> {
  const { dr: context } = REPLICATION.of(asked)
  if (context.membership.mode !== 'secondary') throw conflict('the cluster is not a DR secondary')
  if (token === '') {
    if (asked.call.caller.kind === 'app') return context
    throw invalid('dr_operation_token: required')
  }
  if (isBatchToken(token) ? await isAllowedByPolicies(context, asked, path, token) : await isOwnOperationToken(context, token))
    return context
  throw new KernelError('ERR_PERMISSION_DENIED', 'dr_operation_token: not valid for this operation')
}

const isOwnOperationToken = async ({ internals: { core, call } }: ReplicationContext, token: string): Promise<boolean> =>
  core.read((tx) => isOperationToken(tx, token), call)

/** @throws KernelError 403 if the token is invalid or has expired. */
async function isAllowedByPolicies(
  { internals }: ReplicationContext,
  { call }: OperationContext,
  path: string,
  token: string,
): Promise<boolean> {
  const { core, authority, topology } = internals
  await topology.fresh()
  const { acl, token: record } = await core.read((tx) => authority.find(tx, token), internals.call)
  const { bound_cidrs } = record
  if (bound_cidrs.length > 0 && !isInNetworks(call.remoteAddress, bound_cidrs)) return false
  return acl.decide({ operation: 'update', path: `sys${path}`, wrapTtl: 0, parameters: {} }).allowed
}
