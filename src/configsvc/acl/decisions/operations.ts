/**
 * Decisions, asked for: many by the token of a request, one by the application, and why.
 */
import { f } from '../../../core/field/fields.ts'
import type { ConfigTx } from '../../call.ts'
import { configOperation } from '../../operation.ts'
import { type PermissionText, readPermission, readPermissionText } from '../../rules/index.ts'
import { resolveNamespace, type ScopeParameters } from '../../scope.ts'
import { type AclCaller, aclCallerOf, aclCallerWithSecret, isAllowed } from '../acl-caller.ts'
import { type DecisionExplanation, explainDecision } from './explain.ts'

const THING = 'ACL authorization'

/** As many are decided at once. */
const MAX_DECISIONS = 64

const ACCESS = {
  Resource: f.strictText('What it is about, such as `service`.').default(''),
  Segment: f.strictText('The name of it; nothing where the resource has no names.').default(''),
  Access: f.strictText('`read`, `write`, `list` or `write-prefix`, in any case.').default(''),
}

/** Of one decision. */
const DECISION_FIELDS = {
  token: f.text('The SecretID of whoever would do it. Default: whoever calls.').optional(),
  permission: f.word<PermissionText>('A resource and an access, such as `service:write`.'),
  resource: f.text('The name of what it is about.').default(''),
}

interface DecisionInput extends ScopeParameters {
  readonly token?: string | undefined
}

function subjectOf(tx: ConfigTx, input: DecisionInput): readonly [AclCaller, namespace: string] {
  const asker = input.token === undefined ? aclCallerOf(tx) : aclCallerWithSecret(tx, input.token)
  return [asker, resolveNamespace(tx, asker, input)]
}

export const decisionOperations = {
  authorizeMany: configOperation({
    kind: 'read',
    verb: 'POST',
    path: '/internal/acl/authorize',
    summary: 'Whether the caller may do each of these.',
    thing: THING,
    fields: {},
    // Clients send back what they have read.
    body: {
      requests: f.records(ACCESS, `At most ${MAX_DECISIONS}; the body itself.`, {
        name: 'Decision',
        ignores: ['Allow'],
        most: MAX_DECISIONS,
      }),
    },
    whole: 'requests',
    answers: f.records(
      {
        Resource: f.text('As it was asked.'),
        Segment: f.text('As it was asked; absent where it is empty.').optional(),
        Access: f.text('As it was asked.'),
        Allow: f.bool('Whether the caller may.'),
      },
      'The same, with the decisions.',
      { name: 'Decision' },
    ),
    run(tx, { requests, ...placed }) {
      const asker = aclCallerOf(tx)
      const namespace = resolveNamespace(tx, asker, placed)
      return requests.map(({ Resource = '', Segment = '', Access = '' }) => {
        const Allow = isAllowed(asker, namespace, readPermission(Resource, Access), Segment)
        return { Resource, ...(Segment === '' ? {} : { Segment }), Access, Allow }
      })
    },
  }),

  authorize: configOperation({
    kind: 'read',
    verb: 'POST',
    path: '/authorize',
    unrouted: true,
    summary: 'Whether somebody may do something.',
    thing: THING,
    fields: DECISION_FIELDS,
    answers: f.bool('Whether they may.'),
    run(tx, input) {
      const [asker, namespace] = subjectOf(tx, input)
      return isAllowed(asker, namespace, readPermissionText(input.permission), input.resource)
    },
  }),

  explain: configOperation({
    kind: 'read',
    verb: 'POST',
    path: '/explain',
    unrouted: true,
    summary: 'Whether somebody may do something, and which rule of which policy says so.',
    thing: THING,
    fields: DECISION_FIELDS,
    answers: f.json<DecisionExplanation>('The decision, and what it is by.'),
    run(tx, input) {
      const [asker, namespace] = subjectOf(tx, input)
      return explainDecision(asker, namespace, readPermissionText(input.permission), input.resource)
    },
  }),
}
