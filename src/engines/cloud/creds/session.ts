/**
 * Credentials of STS: those of a role that is assumed, or of a federated user. They end by themselves.
 */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { effectiveTtl } from '../../../core/contract/mount-record.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { type CallCloud, CloudError, callCloudInTransaction } from '../cloud-calls.ts'
import type { AssumedRole, SessionPolicy, TemporaryCredentials } from '../port.ts'
import type { CloudRole } from '../records.ts'
import { cleanName } from '../username.ts'
import { combinePolicies } from './combine-policies.ts'
import { generateName } from './generate-name.ts'
import type { CloudLeaseData } from './leases.ts'

/** What a request says of a session. */
export interface SessionRequest {
  /** The name of the role. */
  readonly name: string
  readonly role_arn?: string | undefined
  readonly role_session_name?: string | undefined
  /** Seconds. */
  readonly ttl?: number | undefined
}

const DEFAULT_TTL_SECONDS = 3600

const MAX_SESSION_NAME_CHARACTERS = 64

/** What is asked of the cloud; as a text it tells whether a later run would ask the same. */
interface StsRequest {
  readonly type: 'assumed_role' | 'federation_token'
  /** Of the session, or of the federated user. */
  readonly name: string
  readonly roleArn: string
  readonly durationSeconds: number
  readonly document: string
  readonly policyArns: readonly string[]
  readonly groups: readonly string[]
}

interface StsAnswer {
  /** What was asked. */
  readonly request: string
  readonly credentials: TemporaryCredentials & Partial<Pick<AssumedRole, 'assumedRoleArn'>>
}

/**
 * Asks once for all runs, and leases what came of it.
 * @throws KernelError 400 for what role and request say, 500 for a name that is too long, 502 for what the cloud says.
 */
export function issueSession(tx: Tx, type: StsRequest['type'], role: CloudRole, wish: SessionRequest) {
  const roleArn = type === 'assumed_role' ? roleArnFor(role, wish) : ''
  const session: StsRequest = {
    type,
    roleArn,
    name: nameFor(tx, type, wish),
    durationSeconds: durationFor(tx, role, wish),
    document: role.policy_document,
    policyArns: role.policy_arns ?? [],
    groups: role.iam_groups ?? [],
  }
  tx.foreseeLease({ ttl: session.durationSeconds })
  const request = JSON.stringify(session)
  const made = callCloudInTransaction(
    tx,
    'session',
    async (cloud): Promise<StsAnswer> => ({ request, credentials: await callSts(cloud, session) }),
  )
  if (made.request !== request)
    throw new KernelError('ERR_UNAVAILABLE', 'name: the role or the mount was changed meanwhile; ask again')
  return leaseCredentials(tx, type, wish.name, session.durationSeconds, made.credentials)
}

function leaseCredentials(tx: Tx, type: StsRequest['type'], role: string, asked: number, credentials: StsAnswer['credentials']) {
  const { accessKeyId, secretAccessKey, sessionToken, expiration, assumedRoleArn } = credentials
  const left = (expiration - tx.now) / 1000
  if (left < 1) throw new KernelError('ERR_UPSTREAM', 'the cloud gave credentials that have ended, by the clock of the kernel')
  const data: CloudLeaseData = { credential_type: type, role }
  // The cloud's clock may be a little ahead: nobody is told that the mount cuts what was never asked for.
  const ttl = Math.min(asked, Math.ceil(left))
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

/** Compared as text, before anything is asked. */
function roleArnFor({ role_arns }: CloudRole, { role_arn = '' }: SessionRequest): string {
  const allowed = role_arns ?? []
  if (role_arn !== '') {
    if (allowed.includes(role_arn)) return role_arn
    throw invalid('role_arn: is none of the role_arns of the role')
  }
  const [only] = allowed
  if (only !== undefined && allowed.length === 1) return only
  throw invalid('role_arn: is required, since the role does not have exactly one')
}

function nameFor(tx: Tx, type: StsRequest['type'], { name, role_session_name: given = '' }: SessionRequest): string {
  if (type === 'federation_token') return generateName(tx, 'STS', name).name
  if (given === '') return generateName(tx, 'IAM', name).name
  // A character outside the BMP is two code units and becomes one `_`, so twice the length is enough.
  return cleanName(given.slice(0, 2 * MAX_SESSION_NAME_CHARACTERS)).slice(0, MAX_SESSION_NAME_CHARACTERS)
}

/** Seconds. */
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
    throw thrown instanceof CloudError ? thrown.refusal : thrown
  }
}

/**
 * A session without any policy has all rights of the role that is assumed. A role that names a limit never means that, also if its groups
 * have no policies (left).
 * @throws KernelError 400
 */
function assertLimited({ type, document, policyArns, groups }: StsRequest, found: SessionPolicy): void {
  if (found.policy !== undefined || found.policyArns.some((arn) => arn !== '')) return
  if (type === 'federation_token')
    throw invalid('policy_document, policy_arns: the role has neither, which a federation token needs')
  if (document !== '' || policyArns.length > 0 || groups.length > 0)
    throw invalid('iam_groups, policy_arns: the role limits its sessions, but its groups have no policies')
}

/** The role's own limits, and those of its groups. */
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
