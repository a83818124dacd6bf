import { f } from '../../core/field/fields.ts'
import { type AclRecordMeta, DEFAULT_NAMESPACE } from './records.ts'

/** Members of request bodies. */
export const SCOPE_FIELDS = {
  Namespace: f.strictText('The namespace; takes precedence over a namespace in the query or header.').optional(),
  Partition: f.strictText('A label.').optional(),
}

/** Members of responses. */
export const RECORD_META_FIELDS = {
  CreateIndex: f.int('The index at which the record was created.'),
  ModifyIndex: f.int('The index at which the record was last changed.'),
  Namespace: f.text('The namespace; absent for the default namespace.').optional(),
  Partition: f.text('The partition, which is only a label; absent for the default partition.').optional(),
}

/** Members of responses. Requests may contain them, because clients send back what they have read. */
export const ECHOED_MEMBERS = ['CreateIndex', 'ModifyIndex'] as const

export const shownScope = ({
  Namespace,
  Partition,
}: AclRecordMeta): { readonly Namespace?: string; readonly Partition?: string } => ({
  ...(Namespace === DEFAULT_NAMESPACE ? {} : { Namespace }),
  ...(Partition === undefined ? {} : { Partition }),
})
