/** The operations that policies, roles, auth methods and binding rules have in common. */
import type { RecordKind } from '../../core/contract/record-kind.ts'
import type { Field, Fields, Parsed } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import type { ConfigTx } from '../call.ts'
import type { IndexedTable } from '../index/counter.ts'
import { type COMMON_PARAMETERS, type ConfigInput, configOperation } from '../operation.ts'
import { listRecords } from './list-records.ts'
import { idOfName, type NamedKind } from './named.ts'
import { requestedNamespace } from './stamp.ts'
import { checkNoId } from './uuid.ts'

type Common = typeof COMMON_PARAMETERS

/**
 * A kind of ACL object. `K` is the field of the path that identifies an object, `C` and `U` are the bodies of create and update, and `Q` are
 * the parameters of the list. `T` is the record, and `S` and `L` are its forms in responses, alone and in a list.
 */
interface AclObjectKind<K extends Fields, C extends Fields, U extends Fields, Q extends Fields, T, S, L> {
  /** The noun in error messages about the body. */
  readonly thing: string
  /** The noun in descriptions and in the message of a 404. */
  readonly noun: string
  readonly path: string
  readonly listPath: string
  readonly table: IndexedTable
  readonly records: RecordKind<T>
  readonly key: K
  readonly createBody: C
  readonly updateBody: U
  readonly repeats: readonly string[]
  readonly copies?: readonly string[]
  readonly listParameters: Q
  readonly shown: Field<S, unknown>
  readonly listed: Field<readonly L[], unknown>
  readonly summaries: Readonly<Record<'create' | 'read' | 'update' | 'delete' | 'list', string>>
  readonly find: (tx: ConfigTx, namespace: string, key: string) => T | undefined
  readonly create: (tx: ConfigTx, namespace: string, input: ConfigInput<Common, C>) => T
  readonly update: (tx: ConfigTx, namespace: string, input: ConfigInput<K & Common, U>) => T
  /** Returns whether the object existed. */
  readonly delete: (tx: ConfigTx, namespace: string, key: string) => boolean
  readonly show: (record: T, tx: ConfigTx) => S
  readonly showListed: (record: T, tx: ConfigTx) => L
  readonly sortKey: (record: T) => string
  readonly filter?: (tx: ConfigTx, parameters: Parsed<Q>) => ((record: T) => boolean) | undefined
}

export function objectOperations<K extends Fields, C extends Fields, U extends Fields, Q extends Fields, T, S, L>(
  kind: AclObjectKind<K, C, U, Q, T, S, L>,
) {
  const { thing, noun, table, shown, summaries, find, show } = kind
  const [keyName = ''] = Object.keys(kind.key)
  const path = `${kind.path}/:${keyName}`
  const keyOf = (input: object): string => (input as Readonly<Record<string, string>>)[keyName] as string
  const put = { kind: 'write', verb: 'PUT', thing, permission: 'acl:write', answers: shown, repeats: kind.repeats } as const
  return {
    create: configOperation({
      ...put,
      path: kind.path,
      summary: summaries.create,
      fields: {},
      body: kind.createBody,
      copies: kind.copies,
      check: (input) => checkNoId(input as { readonly ID?: string }, thing),
      run: (tx, input) => show(kind.create(tx, requestedNamespace(tx, input), input), tx),
    }),

    read: configOperation({
      kind: 'read',
      verb: 'GET',
      path,
      summary: summaries.read,
      thing,
      permission: 'acl:read',
      table,
      notFoundMessage: notFoundMessage(noun),
      fields: kind.key,
      answers: shown,
      run(tx, input) {
        const record = find(tx, requestedNamespace(tx, input), keyOf(input))
        return record && show(record, tx)
      },
    }),

    update: configOperation({
      ...put,
      path,
      summary: summaries.update,
      fields: kind.key,
      body: kind.updateBody,
      copies: kind.copies,
      run: (tx, input) => show(kind.update(tx, requestedNamespace(tx, input), input), tx),
    }),

    delete: configOperation({
      kind: 'write',
      verb: 'DELETE',
      path,
      summary: summaries.delete,
      thing,
      permission: 'acl:write',
      fields: kind.key,
      answers: f.bool(`Whether the ${noun} existed.`),
      run: (tx, input) => kind.delete(tx, requestedNamespace(tx, input), keyOf(input)),
    }),

    list: configOperation({
      kind: 'read',
      verb: 'GET',
      path: kind.listPath,
      summary: summaries.list,
      thing,
      permission: 'acl:read',
      table,
      lists: true,
      fields: kind.listParameters,
      answers: kind.listed,
      run: (tx, input) =>
        listRecords(tx, {
          kind: kind.records,
          namespace: requestedNamespace(tx, input, true),
          filter: kind.filter?.(tx, input),
          sortKey: kind.sortKey,
          show: (record) => kind.showListed(record, tx),
        }),
    }),
  }
}

/** Like {@link objectOperations}, with an operation that reads an object by its name. */
export function namedObjectOperations<K extends Fields, C extends Fields, U extends Fields, Q extends Fields, T, S, L>(
  kind: AclObjectKind<K, C, U, Q, T, S, L> &
    Pick<NamedKind, 'names'> & { readonly namePath: string; readonly summaries: { readonly readByName: string } },
) {
  const { thing, noun, table, shown, names, namePath, summaries, find, show } = kind
  const { create, read, ...others } = objectOperations(kind)
  const readByName = configOperation({
    kind: 'read',
    verb: 'GET',
    path: namePath,
    summary: summaries.readByName,
    thing,
    permission: 'acl:read',
    table,
    notFoundMessage: notFoundMessage(noun),
    fields: { Name: f.text(`The name of the ${noun}.`) },
    answers: shown,
    run(tx, input) {
      const namespace = requestedNamespace(tx, input)
      const id = idOfName(tx, names, namespace, input.Name)
      const record = id === undefined ? undefined : find(tx, namespace, id)
      return record && show(record, tx)
    },
  })
  return { create, read, readByName, ...others }
}

const notFoundMessage = (noun: string): string => `Requested ${noun} does not exist: ACL not found`
