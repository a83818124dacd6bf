/** The kind of an option's value. */
export type OptionKind = 'flag' | 'text' | 'texts' | 'integer' | 'file' | 'choice'

export interface OptionDefinition {
  readonly kind: OptionKind
  readonly summary: string
  /** The name of the value in help texts. Default: a name for the kind. */
  readonly value?: string
  /** The allowed values of a `choice`. */
  readonly choices?: readonly string[]
  readonly required?: boolean
}

type OptionValue<D extends OptionDefinition> = D['kind'] extends 'flag'
  ? boolean
  : D['kind'] extends 'integer'
    ? number
    : D['kind'] extends 'texts'
      ? readonly string[]
      : string

export type OptionValues<O extends Readonly<Record<string, OptionDefinition>>> = {
  readonly [K in keyof O]: OptionValue<O[K]> | (O[K]['required'] extends true ? never : undefined)
}
