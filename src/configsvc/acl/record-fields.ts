/**
 * What all things of the ACL half are shown with, and where they are put.
 */
import { f } from '../../core/field/fields.ts'
import { type AclRecordMeta, DEFAULT_NAMESPACE } from './records.ts'

/** Members of a body. */
export const SCOPE_FIELDS = {
  Namespace: f.strictText('The namespace; counts for more than the query and the header.').optional(),
  Partition: f.strictText('A label.').optional(),
}

/** Members of an answer. */
export const RECORD_META_FIELDS = {
  CreateIndex: f.int('The index at which it was made.'),
  ModifyIndex: f.int('The index at which it was last changed.'),
  Namespace: f.text('Absent: the default one.').optional(),
  Partition: f.text('A label; absent where it carries none.').optional(),
}

/** Members of answers that clients send back. */
export const ECHOED_MEMBERS = ['CreateIndex', 'ModifyIndex'] as const

export const shownScope = ({
  Namespace,
  Partition,
}: AclRecordMeta): { readonly Namespace?: string; readonly Partition?: string } => ({
  ...(Namespace === DEFAULT_NAMESPACE ? {} : { Namespace }),
  ...(Partition === undefined ? {} : { Partition }),
})
