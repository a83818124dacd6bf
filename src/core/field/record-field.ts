/** Fields whose values are objects with declared fields, or lists of such objects. */
import { invalid } from '../base/errors.ts'
import { WideObject } from '../json/wide-object.ts'
import { checkCount, coerceObject, coerceWhole, MAX_FIELD_MEMBERS, typedObject, typeError, wrongType } from './coercion.ts'
import { type Arguments, type Builder, buildField, type Fields, type Result } from './field.ts'
import { MemberNames, type OtherNames } from './member-names.ts'
import { encodeResult, fieldList, parseTyped, type TypedTable, typedTable, type Values } from './parse.ts'

/** Options of a record field: the name of the type, and how members are read from the wire. */
export interface RecordFieldRules extends OtherNames {
  /**
   * The name of the record's TypeScript type. The type for arguments has the suffix `Arguments`. Records with the same name must have the
   * same members.
   */
  readonly name?: string
  /**
   * If true, members with another JSON type are converted, and a list with one record is accepted for the record. Default: both are
   * refused.
   */
  readonly weak?: boolean
  /** The maximum number of records in a list. Default: 10,000. */
  readonly most?: number
}

/** The maximum number of characters of an unknown name that an error message contains. */
const MAX_SHOWN_CHARACTERS = 100

/** Reads and writes objects with declared fields. */
export class RecordFieldShape {
  readonly fields: Fields
  readonly most: number
  readonly #weak: boolean
  readonly #names: MemberNames
  readonly #typed: TypedTable

  constructor(fields: Fields, { weak = false, most = MAX_FIELD_MEMBERS, ...names }: RecordFieldRules = {}) {
    this.fields = fields
    this.most = most
    this.#weak = weak
    this.#names = new MemberNames(
      fieldList(fields).map(([name]) => name),
      names,
    )
    this.#typed = typedTable(fields)
  }

  get schema(): Readonly<Record<string, unknown>> {
    const all = fieldList(this.fields).map(([name, { schema, description }]) => [name, { ...schema, description }])
    return { type: 'object', properties: Object.fromEntries(all) }
  }

  /** @param at The position of the record, for error messages. @throws the errors of `parseTyped` */
  fromTyped(value: unknown, at: string): Values {
    const given = typedObject(value, at)
    try {
      return withoutAbsent(parseTyped(this.#typed, given))
    } catch (error) {
      if (error instanceof TypeError) throw new TypeError(below(at, error.message))
      throw error
    }
  }

  /** Checks the names and JSON types of the members. @throws KernelError 400 */
  coerce(raw: unknown, at: string): Values {
    const one = this.#weak && Array.isArray(raw) && raw.length === 1 ? (raw[0] as unknown) : raw
    const object = at === '' ? coerceWhole(one, 'body') : coerceObject(one, at)
    if (object instanceof WideObject) throw invalid(`${at === '' ? 'body' : at}: has more members than there are fields`)
    const sent = this.#names.sent(object, (name) => {
      throw invalid(`unknown field ${JSON.stringify(below(at, name.slice(0, MAX_SHOWN_CHARACTERS)))}`)
    })
    const coerced: Record<string, unknown> = {}
    for (const [name, field] of fieldList(this.fields)) {
      const value = sent[name]
      if (value === undefined || value === null) continue
      coerced[name] = this.#weak ? field.coerce(value, below(at, name)) : field.strict(value, below(at, name))
    }
    return coerced
  }

  /** @throws KernelError 400 */
  coerceAll(raw: unknown, at: string): readonly Values[] {
    const list = this.#weak && !Array.isArray(raw) ? [raw] : raw
    if (!Array.isArray(list)) throw wrongType(at, 'a list of objects')
    return checkCount(list, at, this.most).map((item, index) => this.coerce(item, `${at}[${index}]`))
  }

  /** Checks the values and ranges of the members. @throws KernelError 400 */
  decode(coerced: Values, at: string): Values {
    const decoded: Record<string, unknown> = {}
    for (const [name, field] of fieldList(this.fields)) {
      const value = coerced[name]
      if (value !== undefined) decoded[name] = field.decode(value, below(at, name))
      else if (field.required) throw invalid(`${at}.${name}: is required`)
      else if (field.fallback !== undefined) decoded[name] = field.fallback
    }
    return decoded
  }

  encode(value: Values, input: Values): Values {
    return encodeResult(this.fields, value, input)
  }
}

/** The name of a member with its position. An empty `at` means the whole request, which has no name. */
const below = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`)

/** Removes undefined members, because the types of results do not allow them. */
const withoutAbsent = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** An object with declared fields. */
export function recordField<F extends Fields>(
  fields: F,
  description: string,
  rules: RecordFieldRules = {},
): Builder<Result<F>, Arguments<F>> {
  const shape = new RecordFieldShape(fields, rules)
  return buildField<Result<F>, Arguments<F>>({
    fromTyped: (value, name) => shape.fromTyped(value, name) as Result<F>,
    coerce: (raw, name) => shape.coerce(raw, name),
    decode: (value, name) => shape.decode(value as Values, name) as Result<F>,
    encode: (value, input) => shape.encode(value as Values, input),
    description,
    schema: shape.schema,
    members: { name: rules.name, fields, many: false },
  })
}

/** A list of objects with declared fields. At most 10,000, unless the options set another limit. */
export function recordsField<F extends Fields>(
  fields: F,
  description: string,
  rules: RecordFieldRules = {},
): Builder<readonly Result<F>[], readonly Arguments<F>[]> {
  const shape = new RecordFieldShape(fields, rules)
  return buildField<readonly Result<F>[], readonly Arguments<F>[]>({
    fromTyped: (value, name) => {
      if (!Array.isArray(value)) throw typeError(name, 'an array of objects')
      return checkCount(value, name, shape.most).map((item, index) => shape.fromTyped(item, `${name}[${index}]`) as Result<F>)
    },
    coerce: (raw, name) => shape.coerceAll(raw, name),
    decode: (value, name) =>
      (value as readonly Values[]).map((item, index) => shape.decode(item, `${name}[${index}]`) as Result<F>),
    encode: (value, input) => value.map((item) => shape.encode(item as Values, input)),
    description,
    schema: { type: 'array', items: shape.schema },
    members: { name: rules.name, fields, many: true },
  })
}
