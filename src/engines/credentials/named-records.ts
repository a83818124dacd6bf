/** Operations that read, list and delete records by name, such as roles and connections. */
import { PAGE_FIELDS, pageOptions } from '../../core/contract/list-page.ts'
import { operation, type SingleOperation } from '../../core/contract/operation.ts'
import type { RecordKind } from '../../core/contract/record-kind.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { Builder, Fields, Result } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'

export const STRING_LIST = { type: 'array', items: { type: 'string' } } as const

/** A result field for a list of strings. */
export const shownTexts = (description: string): Builder<readonly string[]> => f.json(description, STRING_LIST)

interface NamedRecords<T> {
  readonly path: `/${string}/:name`
  readonly summary: string
  readonly records: RecordKind<T>
  /** The field for the name in the path. */
  readonly name: Builder<string>
}

type NameFields = { readonly name: Builder<string> }

export const readByName = <T, R extends Fields>({
  records,
  name,
  shown,
  ...definition
}: NamedRecords<T> & {
  readonly returns: R
  readonly shown: (record: T, name: string, tx: Tx) => Result<R>
}): SingleOperation<NameFields, R> =>
  operation({
    ...definition,
    kind: 'read',
    verb: 'GET',
    fields: { name },
    run: (tx, input) => {
      const found = tx.get(records, input.name)
      return found && shown(found, input.name, tx)
    },
  })

/** @param plural The noun for the records in descriptions, such as `roles`. */
export const listNames = <T>(path: string, plural: string, records: RecordKind<T>) =>
  operation({
    kind: 'read',
    verb: 'LIST',
    path,
    summary: `Lists the names of all ${plural}, in byte order.`,
    fields: PAGE_FIELDS,
    returns: { keys: shownTexts(`The names of the ${plural}.`) },
    run: (tx, page) => ({ keys: tx.list(records, pageOptions(page)) }),
  })

export const deleteByName = <T>({
  records,
  name,
  event,
  onMissing,
  onDelete,
  ...definition
}: NamedRecords<T> & {
  readonly event: 'role.deleted' | 'connection.deleted'
  /** Called if the record does not exist. Default: the request succeeds. */
  readonly onMissing?: (name: string) => never
  readonly onDelete?: (tx: Tx, name: string) => void
}): SingleOperation<NameFields, Readonly<Record<never, never>>> =>
  operation({
    ...definition,
    kind: 'write',
    verb: 'DELETE',
    forwardable: true,
    fields: { name },
    returns: {},
    run: (tx, { name }) => {
      if (!tx.get(records, name)) return onMissing?.(name)
      tx.delete(records, name)
      onDelete?.(tx, name)
      tx.event(event, { name })
      return undefined
    },
  })
