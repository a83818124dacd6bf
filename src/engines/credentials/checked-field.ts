import { type Builder, buildField } from '../../core/field/field.ts'

/** Returns a field like `base` whose values must also pass `check`, both in typed calls and in calls by path. */
export const checkedField = <Out, In>(base: Builder<Out, In>, check: (value: Out, name: string) => Out): Builder<Out, In> =>
  buildField({
    ...base,
    fromTyped: (value, name) => check(base.fromTyped(value, name), name),
    decode: (value, name) => check(base.decode(value, name), name),
  })
