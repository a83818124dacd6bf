/**
 * Shapes describe the data to which expressions apply, so that expressions can be validated without data. Data consists of plain objects,
 * lists and scalars; integers may be bigints.
 */

export interface TextShape {
  readonly kind: 'string'
}

export interface BoolShape {
  readonly kind: 'bool'
}

export interface IntShape {
  readonly kind: 'int'
  readonly bits: 8 | 16 | 32 | 64
  readonly signed: boolean
}

export interface FloatShape {
  readonly kind: 'float'
  readonly bits: 32 | 64
}

export interface ListShape {
  readonly kind: 'list'
  readonly of: Shape
}

/** A map. Any key is a valid name in a selector. */
export interface MapShape {
  readonly kind: 'map'
  readonly of: Shape
}

/** A map with values of unknown types. Expressions can only test whether it is empty. */
export interface OtherMapShape {
  readonly kind: 'other map'
}

/**
 * Named members. An absent scalar member has the zero value of its type, because the writers of the data omit zero values. Absent records,
 * lists and maps count as missing.
 */
export interface RecordDataShape {
  readonly kind: 'record'
  readonly members: Readonly<Record<string, Shape>>
}

export type ScalarShape = TextShape | BoolShape | IntShape | FloatShape

export type Shape = ScalarShape | ListShape | MapShape | OtherMapShape | RecordDataShape

export const textShape: TextShape = /* @__PURE__ */ Object.freeze({ kind: 'string' })

export const boolShape: BoolShape = /* @__PURE__ */ Object.freeze({ kind: 'bool' })

export const otherMapShape: OtherMapShape = /* @__PURE__ */ Object.freeze({ kind: 'other map' })

export const intShape = (bits: IntShape['bits'] = 64): IntShape => Object.freeze({ kind: 'int', bits, signed: true })

export const uintShape = (bits: IntShape['bits'] = 64): IntShape => Object.freeze({ kind: 'int', bits, signed: false })

export const floatShape = (bits: FloatShape['bits'] = 64): FloatShape => Object.freeze({ kind: 'float', bits })

export const listShape = (of: Shape): ListShape => Object.freeze({ kind: 'list', of })

export const mapShape = (of: Shape): MapShape => Object.freeze({ kind: 'map', of })

export const recordShape = (members: Readonly<Record<string, Shape>>): RecordDataShape =>
  Object.freeze({ kind: 'record', members: Object.freeze({ ...members }) })

export const isScalar = (shape: Shape): shape is ScalarShape =>
  shape.kind === 'string' || shape.kind === 'bool' || shape.kind === 'int' || shape.kind === 'float'

/** The shape of the member with this name, in a list the member of its elements. Undefined if there is no such member. */
export function shapeBelow(shape: Shape, name: string): Shape | undefined {
  // Only one level of lists is skipped: the elements of a list of lists have no named members.
  const inner = shape.kind === 'list' ? shape.of : shape
  if (inner.kind === 'map') return inner.of
  return inner.kind === 'record' && Object.hasOwn(inner.members, name) ? inner.members[name] : undefined
}
