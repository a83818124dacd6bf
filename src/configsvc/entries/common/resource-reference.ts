/**
 * Other entries that gateways and routes name, whether they are there or not.
 */
import { invalid } from '../../../core/base/errors.ts'
import type { KindName } from '../kind.ts'
import { aliased, checkWord, list, type RecordOf, type Rule, record, text } from '../members/index.ts'
import { nameOfOther } from '../names.ts'

const RESOURCE_REFERENCE = {
  Kind: text(),
  Name: nameOfOther(),
  SectionName: aliased(text(), null),
  Namespace: text(),
  Partition: text(),
}

export type ResourceReference = RecordOf<typeof RESOURCE_REFERENCE>

export interface ReferenceOptions {
  /** The kinds that may be named. */
  readonly to: readonly KindName[]
  /** The kind where none is given. */
  readonly byDefault?: KindName
  /** Of all of them. */
  readonly rule?: Rule<readonly ResourceReference[]>
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
