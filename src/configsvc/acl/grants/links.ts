/**
 * Links of roles and tokens to policies, and of tokens to roles. They are stored by ID, so that another name changes nothing.
 */
import { notFound } from '../../../core/base/errors.ts'
import type { RecordKind } from '../../../core/contract/record-kind.ts'
import { gather } from '../../../core/transaction/gather.ts'
import type { ConfigTx } from '../../call.ts'
import { idOfName } from '../named.ts'
import { ACL_POLICY, ACL_POLICY_NAME, ACL_ROLE, ACL_ROLE_NAME, byId, type StoredLink } from '../records.ts'
import { isUuid } from '../uuid.ts'

/** What a link leads to. */
export interface LinkKind {
  /** In a refusal. */
  readonly thing: string
  readonly records: RecordKind<{ readonly Name: string }>
  readonly names: RecordKind<string>
}

export const POLICY_LINKS: LinkKind = { thing: 'policy', records: ACL_POLICY, names: ACL_POLICY_NAME }

export const ROLE_LINKS: LinkKind = { thing: 'role', records: ACL_ROLE, names: ACL_ROLE_NAME }

/** A link as a request has it. */
export interface LinkInput {
  readonly ID?: string
  readonly Name?: string
}

/** A link as an answer has it. */
export interface ShownLink {
  readonly ID: string
  readonly Name: string
}

/** The longest part of what was sent that a refusal shows. */
const MAX_SHOWN_CHARACTERS = 256

const unknownLink = ({ thing }: LinkKind, by: 'ID' | 'name', sent: string) =>
  notFound(`No such ACL ${thing} with ${by} ${JSON.stringify(sent.slice(0, MAX_SHOWN_CHARACTERS))}`, 400)

/**
 * The links by ID, each once, as they came first. Whether there is something of an ID that was given is for {@link checkLinks}.
 * @throws KernelError 400 for a name that nothing has.
 */
export function resolveLinks(
  tx: ConfigTx,
  kind: LinkKind,
  namespace: string,
  links: readonly LinkInput[],
): readonly StoredLink[] {
  const ids = gather(links, ({ ID, Name = '' }) => ID || idOfName(tx, kind.names, namespace, Name))
  const missing = ids.indexOf(undefined)
  if (missing >= 0) throw unknownLink(kind, 'name', links[missing]?.Name ?? '')
  return [...new Set(ids as string[])].map((ID) => ({ ID }))
}

/** @throws KernelError 400 for an ID that nothing has. */
export function checkLinks(tx: ConfigTx, kind: LinkKind, namespace: string, links: readonly StoredLink[]): void {
  const found = gather(links, ({ ID }) => isUuid(ID) && tx.get(kind.records, byId(namespace, ID)) !== undefined)
  const missing = links[found.indexOf(false)]
  if (missing) throw unknownLink(kind, 'ID', missing.ID)
}

/** The links with the names that things have now, without those to things that are gone. */
export function showLinks(tx: ConfigTx, kind: LinkKind, namespace: string, links: readonly StoredLink[]): readonly ShownLink[] {
  const names = gather(links, ({ ID }) => tx.get(kind.records, byId(namespace, ID))?.Name)
  return links.flatMap(({ ID }, i) => {
    const Name = names[i]
    return Name === undefined ? [] : [{ ID, Name }]
  })
}
