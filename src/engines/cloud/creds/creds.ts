/**
 * GET and POST creds/:name and sts/:name (spec document 1, "Generate credentials").
 */
import { toUtf8 } from '../../../core/base/bytes.ts'
import { invalid, KernelError, notFound } from '../../../core/base/errors.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import { INTENT, intentId, type Prepared } from '../../../core/contract/effect.ts'
import { LEASED, leasedWire } from '../../../core/contract/lease-terms.ts'
import { effectOperation, type SingleOperation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import type { Fields } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'
import { type CallCloud, CloudError, callCloudInTransaction } from '../cloud-calls.ts'
import { leaseTermsOf } from '../config/lease.ts'
import { cloudKernelError } from '../failures.ts'
import { CLOUD_ROLE, type CloudCredentialType, type CloudRole } from '../records.ts'
import { roleName } from '../role/role-name.ts'
import { singleLine } from '../single-line.ts'
import { generateName } from './generate-name.ts'
import { type CloudUserInput, type CloudUserIntent, MAKE_CLOUD_USER } from './make-user.ts'
import { awaitReady } from './ready.ts'
import { issueSession } from './session.ts'

/** The two paths differ for roles of two types, and for those written by parameters of the old kind. */
type CredsPath = 'creds' | 'sts'

const credsOperation = <const P extends string>(path: P & `/${CredsPath}/:name`, by: CredsPath, summary: string) =>
  effectOperation({
    verb: 'GET',
    path: path as `/${CredsPath}/:name`,
    summary,
    fields: {
      name: roleName(),
      role_arn: singleLine('The role to assume, one of the `role_arns`. Needed where there are several.').optional(),
      role_session_name: f
        .text(
          'The name of the session of an assumed role. Each character that the cloud does not accept becomes `_`; only the first 64 are kept. Default: by `username_template`.',
        )
        .optional(),
      ttl: f
        .duration('Seconds that temporary credentials last, at most `max_sts_ttl`. Default: `default_sts_ttl`, else 3,600.')
        .optional(),
    },
    returns: {
      access_key: f.text('The id of the access key.'),
      secret_key: f.text('Its secret.'),
      security_token: f.json<string | null>('What has to go with them; null for those of a user.', {
        type: 'string',
        nullable: true,
      }),
      arn: f.text('The ARN of the session of an assumed role.').optional(),
      ttl: f.int('Seconds that temporary credentials last from now.').optional(),
      ...LEASED,
    },
    wire: leasedWire,
    effect: MAKE_CLOUD_USER,
    prepare: (tx, input) => {
      const { name } = input
      const role = tx.get(CLOUD_ROLE, name)
      if (!role) throw notFound(`name: unknown role ${name.slice(0, 200)}`, 400)
      const type = credentialTypeFor(role, by)
      return type === 'iam_user' ? prepareUser(tx, name, role) : { answer: issueSession(tx, type, role, input) }
    },
    beforeAnswer: (asked, { access_key, secret_key, security_token }) =>
      awaitReady(asked, { access_key, secret_key, security_token }),
  })

export const creds = credsOperation(
  '/creds/:name',
  'creds',
  'Gives out credentials of the cloud, with a lease: a user of its own, a session of a role, or a federation token.',
)

export const sts = credsOperation(
  '/sts/:name',
  'sts',
  'The same; a role that was written as a policy of the old kind gives a federation token here, and a user by `creds`.',
)

const withPost = <F extends Fields, R extends Fields>(operation: SingleOperation<F, R>): SingleOperation<F, R> => ({
  ...operation,
  verb: 'POST',
})

export const credsByPost = withPost(creds)
export const stsByPost = withPost(sts)

function credentialTypeFor({ credential_types: types, legacy }: CloudRole, by: CredsPath): CloudCredentialType {
  const [only, other] = types
  if (only === undefined) throw invalid('credential_type: the role has none: write it anew')
  const type = other === undefined ? only : by === 'creds' ? 'iam_user' : 'federation_token'
  if (legacy && (type === 'iam_user') !== (by === 'creds'))
    throw invalid(
      `name: the role was written by policy or arn; ${type} is given out by ${by === 'creds' ? 'sts' : 'creds'} alone`,
    )
  return type
}

function prepareUser(
  tx: Tx,
  role: string,
  { user_path, permissions_boundary_arn, ...rest }: CloudRole,
): Prepared<CloudUserIntent, CloudUserInput> {
  tx.foreseeLease(leaseTermsOf(tx))
  const { name: userName, unique } = generateName(tx, 'IAM', role)
  // Templates may make any text of a name.
  const id = toHex(toUtf8(userName))
  if (tx.get(INTENT, intentId(MAKE_CLOUD_USER, id)))
    throw new KernelError('ERR_UNAVAILABLE', 'username_template: a user of that name is being made or removed; ask again later')
  if (!unique) callCloudInTransaction(tx, 'is there', (cloud) => assertNameFree(cloud, userName))
  return {
    id,
    intent: { username: userName, role, since: tx.now },
    carried: {
      user: {
        userName,
        path: user_path || '/',
        ...(permissions_boundary_arn !== '' && { permissionsBoundary: permissions_boundary_arn }),
      },
      policyArns: rest.policy_arns ?? [],
      policyName: role,
      policyDocument: rest.policy_document,
      groups: rest.iam_groups ?? [],
      tags: Object.entries(rest.iam_tags ?? {}).map(([key, value]) => ({ key, value })),
    },
    leftover: 'resume',
  }
}

/**
 * A template that makes one name again and again may hit a user that is somebody's, and whose intent is left over is removed. So nothing is
 * begun that could.
 */
async function assertNameFree(cloud: CallCloud, userName: string): Promise<void> {
  try {
    await cloud('getUser', { userName })
  } catch (thrown) {
    if (!(thrown instanceof CloudError)) throw thrown
    if (thrown.failure.reason === 'not-found') return
    throw thrown.refusal
  }
  throw cloudKernelError({ reason: 'already-exists', code: undefined }, 'createUser')
}
