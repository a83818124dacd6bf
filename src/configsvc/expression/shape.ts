/**
 * Shapes: what data an expression is asked of, by which it is checked before there is any. The data are plain objects, lists and values;
 * integers may be bigints.
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

/** Any key is a name that may be asked for. */
export interface MapShape {
  readonly kind: 'map'
  readonly of: Shape
}

/** A map whose keys are no strings: nothing but whether it is empty may be asked. */
export interface OtherMapShape {
  readonly kind: 'other map'
}

/**
 * Named members. One that the data lack is the zero of its type, since what writes them leaves zeros out; records, lists and maps that
 * they lack are missing.
 */
export interface RecordDataShape {
  readonly kind: 'record'
  readonly members: Readonly<Record<string, Shape>>
}

export type ScalarShape = TextShape | BoolShape | IntShape | FloatShape

export type Shape = ScalarShape | ListShape | MapShape | OtherMapShape | RecordDataShape

export const text: TextShape = /* @__PURE__ */ Object.freeze({ kind: 'string' })

export const bool: BoolShape = /* @__PURE__ */ Object.freeze({ kind: 'bool' })

export const otherMap: OtherMapShape = /* @__PURE__ */ Object.freeze({ kind: 'other map' })

export const int = (bits: IntShape['bits'] = 64): IntShape => Object.freeze({ kind: 'int', bits, signed: true })

export const uint = (bits: IntShape['bits'] = 64): IntShape => Object.freeze({ kind: 'int', bits, signed: false })

export const float = (bits: FloatShape['bits'] = 64): FloatShape => Object.freeze({ kind: 'float', bits })

export const listOf = (of: Shape): ListShape => Object.freeze({ kind: 'list', of })

export const mapOf = (of: Shape): MapShape => Object.freeze({ kind: 'map', of })

export const record = (members: Readonly<Record<string, Shape>>): RecordDataShape =>
  Object.freeze({ kind: 'record', members: Object.freeze({ ...members }) })

export const isScalar = (shape: Shape): shape is ScalarShape =>
  shape.kind === 'string' || shape.kind === 'bool' || shape.kind === 'int' || shape.kind === 'float'

/** The shape of what lies one name deeper, through any list; undefined where nothing does. */
export function shapeBelow(shape: Shape, name: string): Shape | undefined {
  // A list of lists has no names below it, so one list is looked through.
  const inner = shape.kind === 'list' ? shape.of : shape
  if (inner.kind === 'map') return inner.of
  return inner.kind === 'record' && Object.hasOwn(inner.members, name) ? inner.members[name] : undefined
}
