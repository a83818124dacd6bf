/**
 * `PUT /v1/config`: one entry, or several that are judged and written together (configsvc.md 5.3).
 */
import { invalid } from '../../../core/base/errors.ts'
import { f } from '../../../core/field/fields.ts'
import { gather } from '../../../core/transaction/gather.ts'
import { aclCallerOf } from '../../acl/acl-caller.ts'
import { DEFAULT_NAMESPACE } from '../../acl/records.ts'
import type { ConfigTx } from '../../call.ts'
import { configOperation } from '../../operation.ts'
import { resolveNamespace, resolvePartition, type ScopeParameters } from '../../scope.ts'
import { foldEntryName } from '../graph/graph-entries.ts'
import type { EntryKind, NormalizedEntry } from '../kind.ts'
import { kindNamed } from '../read-entry.ts'
import { sameEntry } from '../same-entry.ts'
import { ENTRY, entryId } from '../store/entry-records.ts'
import type { StoredEntry } from '../stored-entry.ts'
import { authorizeWrite } from './access.ts'
import { cas, DELETED_ENTRIES, DRY_RUN, ENTRIES } from './fields.ts'
import { type Proposal, readProposals, validateProposals } from './proposals.ts'
import { type ProposedChange, writeEntries } from './write-entries.ts'

/** The longest body, as JSON text. */
export const MAX_ENTRIES_BYTES = 4_194_304

interface EntryName {
  readonly kind: EntryKind
  readonly name: string
}

export const applyEntries = configOperation({
  kind: 'write',
  verb: 'PUT',
  path: '/config',
  summary:
    'Writes an entry, or several in one commit. What is there is replaced, but for its Status; an entry that says what is there already changes nothing.',
  thing: 'Config entry',
  maxBodyBytes: MAX_ENTRIES_BYTES,
  fields: {
    cas: cas('Writes only where the entry has this ModifyIndex; 0: where there is none. Not with a list.'),
    dry_run: DRY_RUN,
  },
  body: { entries: ENTRIES, delete: DELETED_ENTRIES },
  whole: 'entries',
  leads: 'entries',
  copies: ['entries'],
  answers: f.bool('Whether the entry is as it was sent now: false where `cas` did not fit.'),
  run(tx, { entries: body, delete: gone, cas: expected, dry_run: dryRun, ...placed }) {
    const many = Array.isArray(body)
    if (expected !== undefined && (many || gone.length > 0)) throw invalid('cas: is for one entry, and for no list')
    const read = tx.steps('entries: read', () => readProposals(body, gone.length))
    const asker = aclCallerOf(tx)
    const namespace = resolveNamespace(tx, asker, placed)
    const proposals = tx.steps('entries: check', () => validateProposals(read, many))
    const leaving = gone.map(({ Kind, Name }): EntryName => ({ kind: kindNamed(Kind), name: kindNamed(Kind).nameOf(Name) }))
    authorizeWrite(tx, asker, namespace, [
      ...proposals.map(({ entry }) => ({ kind: kindNamed(entry.Kind), entry })),
      ...leaving.map(({ kind, name }) => ({ kind, entry: { Kind: kind.name, Name: name } })),
    ])
    const named = proposals.map(({ entry, targets }) => ({ entry: withScope(tx, entry, namespace, placed), targets }))
    const changes = changesOf(tx, namespace, named, leaving)
    const [first] = changes
    if (first && expected !== undefined && (first.before?.ModifyIndex ?? 0) !== expected) return false
    writeEntries(tx, { asker, namespace, changes, dryRun })
    return true
  },
})

/** Which place it is in the request says. @throws KernelError 400 where the entry says another one. */
function withScope(tx: ConfigTx, entry: NormalizedEntry, namespace: string, placed: ScopeParameters): NormalizedEntry {
  const { Namespace = namespace } = entry
  if (Namespace !== namespace)
    throw invalid(`Namespace: this request is about the namespace ${JSON.stringify(namespace)}: name another one as "ns"`)
  const Partition = resolvePartition(tx, { ...placed, Partition: entry.Partition })
  return {
    ...entry,
    ...(namespace === DEFAULT_NAMESPACE ? {} : { Namespace }),
    ...(Partition === undefined ? {} : { Partition }),
  }
}

/** What is to be written and deleted: what would stay as it is is left out. */
function changesOf(
  tx: ConfigTx,
  namespace: string,
  proposals: readonly Proposal[],
  leaving: readonly EntryName[],
): readonly ProposedChange[] {
  const names = [...proposals.map(({ entry }) => ({ kind: kindNamed(entry.Kind), name: entry.Name })), ...leaving]
  checkDistinctEntries(names)
  const stored = gather(names, ({ kind, name }) => tx.get(ENTRY, entryId(namespace, kind.name, name)))
  const same = tx.steps(
    'entries: compare',
    function* () {
      const found: boolean[] = []
      for (const [i, { entry }] of proposals.entries()) {
        const before = stored[i]
        found.push(before !== undefined && (yield* sameEntry(before, entry)))
      }
      return found
    },
    'attempt',
  )
  const puts = proposals.flatMap(({ entry, targets }, i): readonly ProposedChange[] => {
    const before = stored[i]
    return same[i] ? [] : [{ kind: entry.Kind, name: entry.Name, before, after: withStatus(entry, before), targets }]
  })
  const deletes = leaving.flatMap(({ kind, name }, i): readonly ProposedChange[] => {
    const before = stored[proposals.length + i]
    return before ? [{ kind: kind.name, name, before, after: undefined, targets: [] }] : []
  })
  return [...puts, ...deletes]
}

/** Also of entries that stay as they are: one that is sent as it is stored and deleted as well contradicts itself. @throws KernelError 400 */
function checkDistinctEntries(names: readonly EntryName[]): void {
  const seen = new Set<string>()
  for (const { kind, name } of names) {
    const key = `${kind.name}/${foldEntryName(name)}`
    if (seen.has(key)) throw invalid(`body: ${kind.name} ${JSON.stringify(name)} is used twice`)
    seen.add(key)
  }
}

/** Only a controller changes a Status, which is empty until it has. */
const withStatus = (entry: NormalizedEntry, before: StoredEntry | undefined): NormalizedEntry =>
  kindNamed(entry.Kind).hasStatus ? { ...entry, Status: before?.Status ?? {} } : entry
