/** Checks permissions without performing the action: for the token of a request, or for a token that the application names. */
import { f } from '../../../core/field/fields.ts'
import type { ConfigTx } from '../../call.ts'
import { configOperation } from '../../operation.ts'
import { type PermissionText, readPermission, readPermissionText } from '../../rules/index.ts'
import { resolveNamespace, type ScopeParameters } from '../../scope.ts'
import { type AclCaller, aclCallerOf, aclCallerWithSecret, isAllowed } from '../acl-caller.ts'
import { type DecisionExplanation, explainDecision } from './explain.ts'

const THING = 'ACL authorization'

const MAX_DECISIONS = 64

const ACCESS = {
  Resource: f.strictText('The kind of resource, such as `service`.').default(''),
  Segment: f.strictText('The name of the resource; empty if resources of this kind have no names.').default(''),
  Access: f.strictText('`read`, `write`, `list` or `write-prefix`, regardless of case.').default(''),
}

/** Parameters of a single decision. */
const DECISION_FIELDS = {
  token: f.text('The SecretID of the token to check. Default: the token of the caller.').optional(),
  permission: f.word<PermissionText>('The kind of resource and the access, such as `service:write`.'),
  resource: f.text('The name of the resource.').default(''),
}

interface DecisionInput extends ScopeParameters {
  readonly token?: string | undefined
}

function subjectOf(tx: ConfigTx, input: DecisionInput): readonly [AclCaller, namespace: string] {
  const aclCaller = input.token === undefined ? aclCallerOf(tx) : aclCallerWithSecret(tx, input.token)
  return [aclCaller, resolveNamespace(tx, aclCaller, input)]
}

export const decisionOperations = {
  /** @throws KernelError 400 if a resource or an access is unknown, or if more than 64 decisions are requested. */
  authorizeMany: configOperation({
    kind: 'read',
    verb: 'POST',
    path: '/internal/acl/authorize',
    summary: 'Checks several permissions of the caller.',
    thing: THING,
    fields: {},
    // The request may contain `Allow`, a member of responses, because clients send back what they have read.
    body: {
      requests: f.records(ACCESS, `The permissions to check, at most ${MAX_DECISIONS}. The request body is this array.`, {
        name: 'Decision',
        ignores: ['Allow'],
        most: MAX_DECISIONS,
      }),
    },
    whole: 'requests',
    answers: f.records(
      {
        Resource: f.text('The resource in the request.'),
        Segment: f.text('The segment in the request; absent if empty.').optional(),
        Access: f.text('The access in the request.'),
        Allow: f.bool('Whether the caller has the permission.'),
      },
      'The requests with their decisions.',
      { name: 'Decision' },
    ),
    run(tx, { requests, ...placed }) {
      const aclCaller = aclCallerOf(tx)
      const namespace = resolveNamespace(tx, aclCaller, placed)
      return requests.map(({ Resource = '', Segment = '', Access = '' }) => {
        const Allow = isAllowed(aclCaller, namespace, readPermission(Resource, Access), Segment)
        return { Resource, ...(Segment === '' ? {} : { Segment }), Access, Allow }
      })
    },
  }),

  /**
   * @throws KernelError 400 if the permission is unknown.
   * @throws KernelError 403 if `token` is invalid.
   * @example
   * const allowed = await kernel.configsvc.acl.authorize({
   *   token: SecretID,
   *   permission: 'service:write',
   *   resource: 'web-shop',
   * })
   */
  authorize: configOperation({
    kind: 'read',
    verb: 'POST',
    path: '/authorize',
    unrouted: true,
    summary: 'Checks one permission of a token.',
    thing: THING,
    fields: DECISION_FIELDS,
    answers: f.bool('Whether the token has the permission.'),
    run(tx, input) {
      const [aclCaller, namespace] = subjectOf(tx, input)
      return isAllowed(aclCaller, namespace, readPermissionText(input.permission), input.resource)
    },
  }),

  /**
   * @throws KernelError 400 if the permission is unknown.
   * @throws KernelError 403 if `token` is invalid.
   */
  explain: configOperation({
    kind: 'read',
    verb: 'POST',
    path: '/explain',
    unrouted: true,
    summary: 'Checks one permission of a token, and shows the rule that decided.',
    thing: THING,
    fields: DECISION_FIELDS,
    answers: f.json<DecisionExplanation>('The decision, and the rule that made it.'),
    run(tx, input) {
      const [aclCaller, namespace] = subjectOf(tx, input)
      return explainDecision(aclCaller, namespace, readPermissionText(input.permission), input.resource)
    },
  }),
}
