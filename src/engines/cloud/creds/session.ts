import { invalid, KernelError } from '../../../core/base/errors.ts'
import { effectiveTtl } from '../../../core/contract/mount-record.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { type CallCloud, callCloudInTransaction } from '../cloud-calls.ts'
import { toKernelError } from '../failures.ts'
import type { AssumedRole, SessionPolicy, TemporaryCredentials } from '../port.ts'
import type { CloudRole } from '../records.ts'
import { cleanName } from '../username.ts'
import { combinePolicies } from './combine-policies.ts'
import { generateName } from './generate-name.ts'
import type { CloudLeaseData } from './leases.ts'

/** The parameters of a request for temporary credentials. */
export interface SessionRequest {
  /** The name of the role. */
  readonly name: string
  readonly role_arn?: string | undefined
  readonly role_session_name?: string | undefined
  /** The requested lifetime in seconds. */
  readonly ttl?: number | undefined
}

const DEFAULT_TTL_SECONDS = 3600

const MAX_SESSION_NAME_CHARACTERS = 64

/**
 * The parameters of the STS call. STS is called only in the first run of a transaction. If the parameters differ in a later run, compared
 * as JSON, the result of that call cannot be used.
 */
interface StsRequest {
  readonly type: 'assumed_role' | 'federation_token'
  /** The name of the session or of the federated user. */
  readonly name: string
  readonly roleArn: string
  readonly durationSeconds: number
  readonly document: string
  readonly policyArns: readonly string[]
  readonly groups: readonly string[]
}

interface StsAnswer {
  /** The {@link StsRequest} as JSON. */
  readonly request: string
  readonly credentials: TemporaryCredentials & Partial<Pick<AssumedRole, 'assumedRoleArn'>>
}

/**
 * Calls STS once for all runs of the transaction, and creates a lease for the credentials.
 * @throws KernelError 400 for an invalid role or request, 500 if the name is too long, 502 if the cloud refuses the call.
 */
export function issueSession(tx: Tx, type: StsRequest['type'], role: CloudRole, input: SessionRequest) {
  const roleArn = type === 'assumed_role' ? roleArnFor(role, input) : ''
  const session: StsRequest = {
    type,
    roleArn,
    name: nameFor(tx, type, input),
    durationSeconds: durationFor(tx, role, input),
    document: role.policy_document,
    policyArns: role.policy_arns ?? [],
    groups: role.iam_groups ?? [],
  }
  tx.previewLease({ ttl: session.durationSeconds })
  const request = JSON.stringify(session)
  const made = callCloudInTransaction(
    tx,
    'session',
    async (cloud): Promise<StsAnswer> => ({ request, credentials: await callSts(cloud, session) }),
  )
  if (made.request !== request)
    throw new KernelError('ERR_UNAVAILABLE', 'name: the role or the mount was changed during the request; try again')
  return leaseCredentials(tx, type, input.name, session.durationSeconds, made.credentials)
}

function leaseCredentials(
  tx: Tx,
  type: StsRequest['type'],
  role: string,
  requestedTtl: number,
  credentials: StsAnswer['credentials'],
) {
  const { accessKeyId, secretAccessKey, sessionToken, expiration, assumedRoleArn } = credentials
  const left = (expiration - tx.now) / 1000
  if (left < 1)
    throw new KernelError(
      'ERR_UPSTREAM',
      'the cloud returned credentials that have expired by the clock of the kernel; check the clock',
    )
  const data: CloudLeaseData = { credential_type: type, role }
  // If the cloud's clock is ahead, `left` may exceed the requested ttl. Lease at most the requested ttl, to avoid a warning about the
  // mount's limit.
  const ttl = Math.min(requestedTtl, Math.ceil(left))
  const leased = tx.lease({ ttl, ends: expiration, renewable: false, data: { ...data } })
  return {
    access_key: accessKeyId,
    secret_key: secretAccessKey,
    security_token: sessionToken,
    ...(type === 'assumed_role' && { arn: assumedRoleArn }),
    ttl: Math.floor(left),
    ...leased,
  }
}

/**
 * Returns the ARN of the role to assume. Compares ARNs as strings, so that the cloud is not called with an ARN that the role does not
 * allow.
 */
function roleArnFor({ role_arns }: CloudRole, { role_arn = '' }: SessionRequest): string {
  const allowed = role_arns ?? []
  if (role_arn !== '') {
    if (allowed.includes(role_arn)) return role_arn
    throw invalid('role_arn: must be one of the role_arns of the role')
  }
  const [only] = allowed
  if (only !== undefined && allowed.length === 1) return only
  throw invalid('role_arn: is required unless the role has exactly one role ARN')
}

function nameFor(tx: Tx, type: StsRequest['type'], { name, role_session_name: given = '' }: SessionRequest): string {
  if (type === 'federation_token') return generateName(tx, 'STS', name).name
  if (given === '') return generateName(tx, 'IAM', name).name
  // Cut the text before it is cleaned, so that long texts are cheap. A character outside the Basic Multilingual Plane has two UTF-16 code
  // units and becomes one `_`, so the first 128 code units always contain the first 64 characters.
  return cleanName(given.slice(0, 2 * MAX_SESSION_NAME_CHARACTERS)).slice(0, MAX_SESSION_NAME_CHARACTERS)
}

/** Returns the lifetime of the session in seconds. */
function durationFor(tx: Tx, { default_sts_ttl, max_sts_ttl }: CloudRole, { ttl }: SessionRequest): number {
  return Math.min(ttl ?? (default_sts_ttl || DEFAULT_TTL_SECONDS), max_sts_ttl || effectiveTtl(tx.call.mount).max)
}

async function callSts(cloud: CallCloud, session: StsRequest): Promise<StsAnswer['credentials']> {
  try {
    const { type, name, roleArn, durationSeconds } = session
    const policy = await policyFor(cloud, session)
    assertLimited(session, policy)
    if (type === 'assumed_role') return await cloud('assumeRole', { roleArn, roleSessionName: name, durationSeconds, ...policy })
    return await cloud('getFederationToken', { name, durationSeconds, ...policy })
  } catch (thrown) {
    throw toKernelError(thrown)
  }
}

/**
 * Throws if a session would have no policy although it needs one. A federation token always needs a policy. The session of an assumed role
 * needs one if `role` has a policy, policy ARNs or groups: without a policy, it would have all rights of the assumed role. This happens,
 * for example, if the role has only groups, and these groups have no policies.
 * @throws KernelError 400
 */
function assertLimited({ type, document, policyArns, groups }: StsRequest, found: SessionPolicy): void {
  if (found.policy !== undefined || found.policyArns.some((arn) => arn !== '')) return
  if (type === 'federation_token') throw invalid('policy_document, policy_arns: one of them is required for a federation token')
  if (document !== '' || policyArns.length > 0 || groups.length > 0)
    throw invalid(
      'iam_groups, policy_arns: must contain at least one policy, otherwise the session would have all rights of the assumed role',
    )
}

/** Combines the policies of the role with the policies of its groups. */
async function policyFor(cloud: CallCloud, { document, policyArns, groups }: StsRequest): Promise<SessionPolicy> {
  const arns = [...policyArns]
  const documents: string[] = []
  for (const groupName of groups) {
    arns.push(...(await cloud('listAttachedGroupPolicies', { groupName })))
    for (const policyName of await cloud('listGroupPolicies', { groupName }))
      documents.push(await cloud('getGroupPolicy', { groupName, policyName }))
  }
  const policy = documents.length === 0 ? document : combinePolicies([...documents, document])
  return { policyArns: arns, ...(policy !== '' && { policy }) }
}
