import { sortSteps } from '../../../core/base/sort-steps.ts'
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { f } from '../../../core/field/fields.ts'
import { loadAllSteps, readSteps } from '../../../core/transaction/load-all.ts'
import { type AclCaller, aclCallerOf } from '../../acl/acl-caller.ts'
import type { ConfigTx } from '../../call.ts'
import type { CheckedExpression } from '../../expression/index.ts'
import { configOperation, ResultWithMeta } from '../../operation.ts'
import { ALL_NAMESPACES, resolveNamespace, type ScopeParameters } from '../../scope.ts'
import { foldEntryName } from '../graph/graph-entries.ts'
import type { EntryKind } from '../kind.ts'
import { kindNamed } from '../read-entry.ts'
import { ENTRY, entryId } from '../store/entry-records.ts'
import type { StoredEntry } from '../stored-entry.ts'
import { authorizeRead, authorizeWrite, mayRead } from './access.ts'
import { applyEntries } from './apply.ts'
import { type ConfigEntry, cas, DRY_RUN, KIND_FIELD, LISTED_ENTRIES, NAME_FIELD, SHOWN_ENTRY } from './fields.ts'
import { filterSteps, readFilter } from './filter.ts'
import { writeEntries } from './write-entries.ts'

const THING = 'Config entry'

interface EntryInput extends ScopeParameters {
  readonly Kind: string
  readonly Name: string
}

/** The cast is safe, because `ConfigEntry` allows any members: they depend on the kind. */
const asConfigEntry = (entry: StoredEntry): ConfigEntry => entry as unknown as ConfigEntry

function locateEntry(tx: ConfigTx, { Kind, Name, ...placed }: EntryInput) {
  const kind = kindNamed(Kind)
  const aclCaller = aclCallerOf(tx)
  const namespace = resolveNamespace(tx, aclCaller, placed)
  return { kind, aclCaller, namespace, id: entryId(namespace, kind.name, Name) }
}

export const entryOperations = {
  apply: applyEntries,

  /**
   * @throws KernelError 400 if the kind does not exist.
   * @throws KernelError 403 if the caller lacks the permission for this entry. The response does not reveal whether the entry exists.
   * @throws KernelError 404 if the entry does not exist.
   */
  get: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/config/:Kind/+Name',
    summary: 'Reads an entry.',
    thing: THING,
    table: 'config-entries',
    fields: { Kind: KIND_FIELD, Name: NAME_FIELD },
    answers: SHOWN_ENTRY,
    notFoundMessage: ({ Kind, Name }) => `Config entry not found for ${JSON.stringify(Kind)} / ${JSON.stringify(Name)}`,
    recordRead: (tx, input) => ({ kind: ENTRY, id: locateEntry(tx, input).id }),
    modifyIndexOf: ({ ModifyIndex }) => ModifyIndex,
    stateTexts: ({ ModifyIndex }) => [String(ModifyIndex)],
    run(tx, input) {
      const { kind, aclCaller, namespace, id } = locateEntry(tx, input)
      authorizeRead(aclCaller, namespace, kind, input.Name)
      const entry = tx.get(ENTRY, id)
      return entry && asConfigEntry(entry)
    },
  }),

  /**
   * @throws KernelError 400 if the kind does not exist, if the filter cannot be parsed, or if the filter uses a member that entries of the
   *   kind do not have.
   */
  list: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/config/:Kind',
    summary: 'Lists the entries of a kind that the caller may read.',
    thing: THING,
    table: 'config-entries',
    lists: true,
    fields: {
      Kind: KIND_FIELD,
      filter: f.text('An expression over the members of the kind, such as `Protocol == "http"`.').default(''),
    },
    answers: LISTED_ENTRIES,
    *stateTexts(entries) {
      for (const { Namespace = '', Name, ModifyIndex } of entries) yield `${Namespace}/${Name} ${ModifyIndex}\n`
    },
    run(tx, { Kind, filter, ...placed }) {
      const kind = kindNamed(Kind)
      const checked = readFilter(filter, kind)
      const aclCaller = aclCallerOf(tx)
      const namespace = resolveNamespace(tx, aclCaller, placed, true)
      const listing = { kind, namespace, aclCaller, checked }
      const { entries, filtered } = tx.steps('entries: list', () => listSteps(tx, listing), 'attempt')
      return new ResultWithMeta(entries.map(asConfigEntry), { filtered })
    },
  }),

  /**
   * @throws KernelError 400 if the kind does not exist, or if other entries refer to the entry.
   * @throws KernelError 403 if the caller lacks the permission for this entry. The response does not reveal whether the entry exists.
   */
  delete: configOperation({
    kind: 'write',
    verb: 'DELETE',
    path: '/config/:Kind/+Name',
    requiresLastSegment: true,
    summary: 'Deletes an entry, unless other entries require it.',
    thing: THING,
    fields: {
      Kind: KIND_FIELD,
      Name: NAME_FIELD,
      cas: cas('Deletes only if the stored entry has this ModifyIndex. With 0, nothing is deleted.'),
      dry_run: DRY_RUN,
    },
    answers: f.bool(
      'Whether the entry is absent now; false if `cas` did not match. A call by path without `cas` gets the response `{}` instead.',
    ),
    run(tx, { cas: expected, dry_run: dryRun, ...input }) {
      const kind = kindNamed(input.Kind)
      const name = kind.nameOf(input.Name)
      const { aclCaller, namespace, id } = locateEntry(tx, { ...input, Name: name })
      const isAbsent = writeEntries(tx, aclCaller, { namespace, dryRun }, function* (reads) {
        yield* authorizeWrite(aclCaller, namespace, [{ kind, entry: { Kind: kind.name, Name: name } }])
        const before = yield* readSteps(() => reads.get(ENTRY, id))
        if (!before) return []
        if (expected !== undefined && before.ModifyIndex !== expected) return undefined
        return [{ kind: kind.name, name, before, after: undefined, targets: [] }]
      })
      return isAbsent && new ResultWithMeta(true, { wire: expected === undefined ? {} : true })
    },
  }),
}

/** The ids of all entries of a kind. */
function idsOf(tx: ConfigTx, { name }: EntryKind, namespace: string): readonly string[] {
  if (namespace === ALL_NAMESPACES) return tx.list(ENTRY).filter((id) => id.split('/')[1] === name)
  const prefix = `${namespace}/${name}/`
  return tx.list(ENTRY, { prefix }).map((segment) => prefix + segment)
}

interface Listing {
  readonly kind: EntryKind
  readonly namespace: string
  readonly aclCaller: AclCaller
  readonly checked: CheckedExpression | undefined
}

const READ_MICROSECONDS = 2

function* listSteps(tx: ConfigTx, { kind, namespace, aclCaller, checked }: Listing): Steps<ListResult> {
  const ids = yield* readSteps(() => idsOf(tx, kind, namespace))
  const found = yield* loadAllSteps(ids, (id) => [id, tx.get(ENTRY, id)] as const, READ_MICROSECONDS)
  const readable: StoredEntry[] = []
  let filtered = false
  const pace = new Pace()
  for (const [id, entry] of found) {
    if (pace.spend(READ_MICROSECONDS)) yield
    // Skip an entry that was deleted after the ids were listed.
    if (!entry) continue
    if (mayRead(aclCaller, id.slice(0, id.indexOf('/')), kind, entry.Name)) readable.push(entry)
    else filtered = true
  }
  const wanted = checked ? yield* filterSteps(checked, readable) : readable
  return { entries: yield* sortSteps(wanted, ({ Name }) => foldEntryName(Name)), filtered }
}

interface ListResult {
  readonly entries: readonly StoredEntry[]
  /** Whether entries were left out because the caller may not read them. */
  readonly filtered: boolean
}
