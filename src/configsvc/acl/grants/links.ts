/**
 * Links of roles and tokens to policies, and of tokens to roles. They are stored by ID, so renaming a policy or role does not change them.
 */
import { notFound } from '../../../core/base/errors.ts'
import type { RecordKind } from '../../../core/contract/record-kind.ts'
import { loadAll } from '../../../core/transaction/load-all.ts'
import type { ConfigTx } from '../../call.ts'
import { idOfName } from '../named.ts'
import { ACL_POLICY, ACL_POLICY_NAME, ACL_ROLE, ACL_ROLE_NAME, byId, type StoredLink } from '../records.ts'
import { isUuid } from '../uuid.ts'

/** The kind of record that links point to. */
export interface LinkKind {
  /** The noun in error messages. */
  readonly thing: string
  readonly records: RecordKind<{ readonly Name: string }>
  readonly names: RecordKind<string>
}

export const POLICY_LINKS: LinkKind = { thing: 'policy', records: ACL_POLICY, names: ACL_POLICY_NAME }

export const ROLE_LINKS: LinkKind = { thing: 'role', records: ACL_ROLE, names: ACL_ROLE_NAME }

/** A link in a request: an ID, or else a name. */
export interface LinkInput {
  readonly ID?: string
  readonly Name?: string
}

/** A link in a response. */
export interface ShownLink {
  readonly ID: string
  readonly Name: string
}

/** The maximum number of characters of a name or ID in an error message. */
const MAX_SHOWN_CHARACTERS = 256

const unknownLink = ({ thing }: LinkKind, by: 'ID' | 'name', sent: string) =>
  notFound(`No such ACL ${thing} with ${by} ${JSON.stringify(sent.slice(0, MAX_SHOWN_CHARACTERS))}`, 400)

/**
 * Converts links to IDs and removes duplicates; the first occurrence counts. Does not check whether given IDs exist; {@link checkLinks}
 * does.
 * @throws KernelError 400 for a name that does not exist.
 */
export function resolveLinks(
  tx: ConfigTx,
  kind: LinkKind,
  namespace: string,
  links: readonly LinkInput[],
): readonly StoredLink[] {
  const ids = loadAll(links, ({ ID, Name = '' }) => ID || idOfName(tx, kind.names, namespace, Name))
  const missing = ids.indexOf(undefined)
  if (missing >= 0) throw unknownLink(kind, 'name', links[missing]?.Name ?? '')
  return [...new Set(ids as string[])].map((ID) => ({ ID }))
}

/** @throws KernelError 400 for an ID that does not exist. */
export function checkLinks(tx: ConfigTx, kind: LinkKind, namespace: string, links: readonly StoredLink[]): void {
  const found = loadAll(links, ({ ID }) => isUuid(ID) && tx.get(kind.records, byId(namespace, ID)) !== undefined)
  const missing = links[found.indexOf(false)]
  if (missing) throw unknownLink(kind, 'ID', missing.ID)
}

/** The links with the current names of their targets. Links to deleted records are left out. */
export function showLinks(tx: ConfigTx, kind: LinkKind, namespace: string, links: readonly StoredLink[]): readonly ShownLink[] {
  const names = loadAll(links, ({ ID }) => tx.get(kind.records, byId(namespace, ID))?.Name)
  return links.flatMap(({ ID }, i) => {
    const Name = names[i]
    return Name === undefined ? [] : [{ ID, Name }]
  })
}
