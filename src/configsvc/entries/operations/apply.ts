/** `PUT /v1/config`: writes one entry, or several in one commit. */
import { invalid } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { f } from '../../../core/field/fields.ts'
import { loadAll, readSteps } from '../../../core/transaction/load-all.ts'
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
import type { EntryReads } from '../store/recorded-reads.ts'
import type { StoredEntry } from '../stored-entry.ts'
import { authorizeWrite } from './access.ts'
import { cas, DELETED_ENTRIES, DRY_RUN, ENTRIES } from './fields.ts'
import { type Proposal, type ProposedEntries, readProposals } from './proposals.ts'
import { type ProposedChange, writeEntries } from './write-entries.ts'

/** The maximum length of a body, which may contain several entries, as JSON. */
const MAX_BODY_BYTES = 4_194_304

interface EntryName {
  readonly kind: EntryKind
  readonly name: string
}

/**
 * @throws KernelError 400 if an entry breaks a rule of its kind, or if an entry would contradict another new or stored entry. The message
 *   names the entry and the member.
 * @throws KernelError 403 if the caller lacks the permission to write one of the entries, or if an entry has the kind `bound-api-gateway`
 *   (only the service itself writes such entries).
 * @throws KernelError 413 if an entry is too large for the storage, or if there are too many entries for one commit.
 */
export const applyEntries = configOperation({
  kind: 'write',
  verb: 'PUT',
  path: '/config',
  summary:
    'Writes an entry, or several entries in one commit. An entry replaces the stored entry with the same name, but keeps its Status. An entry that equals the stored one is not written again.',
  thing: 'Config entry',
  maxBodyBytes: MAX_BODY_BYTES,
  fields: {
    cas: cas(
      'Writes only if the stored entry has this ModifyIndex; with 0, only if no entry exists. Not allowed with a list of entries or with `delete`.',
    ),
    dry_run: DRY_RUN,
  },
  body: { entries: ENTRIES, delete: DELETED_ENTRIES },
  whole: 'entries',
  leads: 'entries',
  copies: ['entries'],
  answers: f.bool('Whether the entry is now stored with this content; false if `cas` did not match.'),
  check({ entries, delete: deleted, cas: expected }) {
    if (expected !== undefined && (Array.isArray(entries) || deleted.length > 0))
      throw invalid('cas: must not be given with a list or with delete')
  },
  readBody: ({ entries, delete: deleted }, refusal) => readProposals(entries, deleted.length, refusal),
  run(tx, { delete: deleted, cas: expected, dry_run: dryRun, entries: _, ...placed }, read) {
    const aclCaller = aclCallerOf(tx)
    const namespace = resolveNamespace(tx, aclCaller, placed)
    const { proposals, refusal } = read as ProposedEntries
    if (refusal) throw refusal
    const removals = deleted.map(({ Kind, Name }): EntryName => ({ kind: kindNamed(Kind), name: kindNamed(Kind).nameOf(Name) }))
    return writeEntries(tx, aclCaller, { namespace, dryRun }, function* (reads) {
      yield* authorizeWrite(aclCaller, namespace, [
        ...proposals.map(({ entry }) => ({ kind: kindNamed(entry.Kind), entry })),
        ...removals.map(({ kind, name }) => ({ kind, entry: { Kind: kind.name, Name: name } })),
      ])
      const named = proposals.map(({ entry, targets }) => ({ entry: withScope(tx, entry, namespace, placed), targets }))
      const changes = yield* changesOf(reads, namespace, named, removals)
      const [first] = changes
      return first && expected !== undefined && (first.before?.ModifyIndex ?? 0) !== expected ? undefined : changes
    })
  },
})

/** The request decides the namespace and partition of the entry. @throws KernelError 400 if the entry names another namespace. */
function withScope(tx: ConfigTx, entry: NormalizedEntry, namespace: string, placed: ScopeParameters): NormalizedEntry {
  const { Namespace = namespace } = entry
  if (Namespace !== namespace)
    throw invalid(`Namespace: must be ${JSON.stringify(namespace)}, the namespace of the request; use "ns" to select another one`)
  const Partition = resolvePartition(tx, { ...placed, Partition: entry.Partition })
  return {
    ...entry,
    ...(namespace === DEFAULT_NAMESPACE ? {} : { Namespace }),
    ...(Partition === undefined ? {} : { Partition }),
  }
}

/** Returns the writes and deletes that have an effect. */
function* changesOf(
  reads: EntryReads,
  namespace: string,
  proposals: readonly Proposal[],
  removals: readonly EntryName[],
): Steps<readonly ProposedChange[]> {
  const names = [...proposals.map(({ entry }) => ({ kind: kindNamed(entry.Kind), name: entry.Name })), ...removals]
  checkDistinctEntries(names)
  const find = ({ kind, name }: EntryName) => reads.get(ENTRY, entryId(namespace, kind.name, name))
  const stored = yield* readSteps(() => loadAll(names, find))
  const puts: ProposedChange[] = []
  for (const [i, { entry, targets }] of proposals.entries()) {
    const before = stored[i]
    if (i > 0) yield
    if (before && sameEntry(before, entry)) continue
    puts.push({ kind: entry.Kind, name: entry.Name, before, after: withStatus(entry, before), targets })
  }
  const deletes = removals.flatMap(({ kind, name }, i): readonly ProposedChange[] => {
    const before = stored[proposals.length + i]
    return before ? [{ kind: kind.name, name, before, after: undefined, targets: [] }] : []
  })
  return [...puts, ...deletes]
}

/**
 * `names` includes unchanged entries, because writing an entry and deleting it in the same request is an error even if the write changes
 * nothing.
 * @throws KernelError 400
 */
function checkDistinctEntries(names: readonly EntryName[]): void {
  const seen = new Set<string>()
  for (const { kind, name } of names) {
    const key = `${kind.name}/${foldEntryName(name)}`
    if (seen.has(key)) throw invalid(`body: ${kind.name} ${JSON.stringify(name)} is used twice`)
    seen.add(key)
  }
}

/** A new entry has an empty Status until the controller sets it. */
const withStatus = (entry: NormalizedEntry, before: StoredEntry | undefined): NormalizedEntry =>
  kindNamed(entry.Kind).hasStatus ? { ...entry, Status: before?.Status ?? {} } : entry
