import type { ConfigTx } from '../../call.ts'
import { SERVICE_TEMPLATE } from '../../rules/index.ts'
import { ALL_NAMESPACES } from '../../scope.ts'
import { listRecords } from '../list-records.ts'
import { ACL_TOKEN, type AclTokenRecord } from '../records.ts'
import { isValid } from '../valid-token.ts'
import { shownToken } from './fields.ts'

/** A filter that is absent or empty matches every token. */
export interface TokenFilters {
  readonly policy?: string | undefined
  readonly role?: string | undefined
  readonly authmethod?: string | undefined
  readonly servicename?: string | undefined
}

const isOf = (token: AclTokenRecord, service: string): boolean =>
  token.ServiceIdentities.some(({ ServiceName }) => ServiceName === service) ||
  token.TemplatedPolicies.some(
    ({ TemplateName, TemplateVariables }) => TemplateName === SERVICE_TEMPLATE && TemplateVariables?.name === service,
  )

function matches(token: AclTokenRecord, { policy, role, authmethod, servicename }: TokenFilters): boolean {
  if (policy && !token.Policies.some(({ ID }) => ID === policy)) return false
  if (role && !token.Roles.some(({ ID }) => ID === role)) return false
  if (authmethod && token.AuthMethod?.Name.toLowerCase() !== authmethod.toLowerCase()) return false
  return !servicename || isOf(token, servicename)
}

/** Lists tokens that have not expired. Reads the tokens of all namespaces, because the ids of token records contain no namespace. */
export const listTokens = (tx: ConfigTx, namespace: string, filters: TokenFilters) =>
  listRecords(tx, {
    kind: ACL_TOKEN,
    namespace: ALL_NAMESPACES,
    filter: (token) =>
      (namespace === ALL_NAMESPACES || token.Namespace === namespace) && matches(token, filters) && isValid(tx, token),
    sortKey: ({ AccessorID }) => AccessorID,
    show: (token) => shownToken(tx, token),
  })
