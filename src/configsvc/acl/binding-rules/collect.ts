/**
 * Converts the bindings that the matching rules computed for a login to the grants of the new token. Roles and policies that do not exist
 * are left out.
 */
import { loadAll } from '../../../core/transaction/load-all.ts'
import type { ConfigTx } from '../../call.ts'
import { CONFIG_SETTINGS } from '../../settings.ts'
import { readGrants } from '../grants/grants.ts'
import { type LinkKind, POLICY_LINKS, ROLE_LINKS, resolveLinks } from '../grants/links.ts'
import { idOfName } from '../named.ts'
import type { Grants, StoredLink } from '../records.ts'
import type { BindType, RuleBinding } from './binding.ts'

export interface LoginGrants extends Grants {
  readonly Roles: readonly StoredLink[]
}

export function collectGrants(tx: ConfigTx, namespace: string, bindings: readonly RuleBinding[]): LoginGrants {
  const { datacenter } = CONFIG_SETTINGS.of(tx)
  const of = (type: BindType): readonly RuleBinding[] => bindings.filter((binding) => binding.type === type)
  const links = (kind: LinkKind, type: BindType) =>
    loadAll(of(type), ({ name }) => idOfName(tx, kind.names, namespace, name)).flatMap((ID) =>
      ID === undefined ? [] : [{ ID, Name: '' }],
    )
  const Roles = resolveLinks(tx, ROLE_LINKS, namespace, links(ROLE_LINKS, 'role'))
  const grants = readGrants(tx, namespace, {
    Policies: links(POLICY_LINKS, 'policy'),
    ServiceIdentities: of('service').map(({ name }) => ({ ServiceName: name, Datacenters: [] })),
    NodeIdentities: of('node').map(({ name }) => ({ NodeName: name, Datacenter: datacenter })),
    TemplatedPolicies: of('templated-policy').map(({ name, variables }) => ({
      TemplateName: name,
      TemplateID: '',
      ...(variables?.name ? { TemplateVariables: { name: variables.name } } : {}),
      Datacenters: [],
    })),
  })
  return { ...grants, Roles }
}

/** Whether all grants of the login are empty. Such a login creates no token. */
export const grantsNothing = ({ Roles, Policies, ServiceIdentities, NodeIdentities, TemplatedPolicies }: LoginGrants): boolean =>
  [Roles, Policies, ServiceIdentities, NodeIdentities, TemplatedPolicies].every((list) => list.length === 0)
