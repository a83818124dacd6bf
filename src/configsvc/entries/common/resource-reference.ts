/** References to other entries. The entries need not exist. */
import { invalid } from '../../../core/base/errors.ts'
import type { EntryKindName } from '../kind.ts'
import { checkWord, list, type MemberRule, type RecordOf, record, text, withAlias } from '../members/index.ts'
import { nameOfOther } from '../names.ts'

const RESOURCE_REFERENCE = {
  Kind: text(),
  Name: nameOfOther(),
  SectionName: withAlias(text(), null),
  Namespace: text(),
  Partition: text(),
}

export type ResourceReference = RecordOf<typeof RESOURCE_REFERENCE>

export interface ReferenceOptions {
  /** The kinds of entries to which the references may point. */
  readonly to: readonly EntryKindName[]
  /** The kind that is meant if the reference has no `Kind`. */
  readonly byDefault?: EntryKindName
  /** A rule for the list as a whole. */
  readonly rule?: MemberRule<readonly ResourceReference[]>
}

export const references = ({ to, byDefault, rule }: ReferenceOptions) =>
  list(
    record(RESOURCE_REFERENCE, {
      normal: (reference) => ({ ...reference, Kind: reference.Kind || byDefault }),
      rule: ({ Kind = '', Name }, path) => {
        checkWord(to, Kind, `${path}.Kind`)
        if (Name === undefined) throw invalid(`${path}.Name: is required`)
      },
    }),
    rule,
  )
