/**
 * One secret of the key/value engine, validated by a schema when it is read and when it is written.
 */
import type { CallOptions, NoResult, Reply } from '../../core/contract/api.ts'
import { assertSchema, type SchemaInput, type SchemaOutput, type StandardSchema, validateBySchema } from './standard-schema.ts'
import type { KvApi, ReadSecretResult } from './v1/api.ts'
import type { Kv2Api, ReadSecretResult as ReadVersionResult, WriteSecretResult } from './v2/api.ts'

/** The result of a read with data of a known type. */
export type TypedData<R, T> = Reply<
  Omit<R, 'data'> & {
    /** The secret. */
    readonly data: T
  }
>

/** A secret of version 1, made with `kv.secret(path, schema)`. */
export interface ValidatedSecret<S extends StandardSchema> {
  /** Reads the secret. `data` is what the schema makes of it. @throws as `readSecret`; KernelError ERR_CONFLICT if it does not match. */
  read(options?: CallOptions): Promise<TypedData<ReadSecretResult, SchemaOutput<S>>>
  /** Writes the data as it is given. @throws as `writeSecret`; KernelError ERR_INVALID_REQUEST if it does not match the schema. */
  write(data: SchemaInput<S>, options?: CallOptions): Promise<NoResult>
}

/** A secret of version 2, made with `kv2.secret(path, schema)`. */
export interface ValidatedSecret2<S extends StandardSchema> {
  /** Reads the newest version. @throws as {@link ValidatedSecret.read} */
  read(options?: CallOptions): Promise<TypedData<ReadVersionResult, SchemaOutput<S>>>
  /** Writes the next version. `cas` is the version that it replaces; 0: there is none. @throws as {@link ValidatedSecret.write} */
  write(data: SchemaInput<S>, options?: CallOptions & WriteOptions): Promise<Reply<WriteSecretResult>>
}

/** Options of a write of version 2. */
export interface WriteOptions {
  /** The version that the write replaces; 0 for a secret that does not exist. Default: any. */
  readonly cas?: number
}

type Data = Readonly<Record<string, unknown>>

export function validatedSecret<S extends StandardSchema>(
  view: Pick<KvApi, 'readSecret' | 'writeSecret'>,
  path: string,
  schema: S,
): ValidatedSecret<S> {
  assertSchema(schema)
  return {
    async read(options) {
      const found = await view.readSecret({ path }, options)
      return { ...found, data: await validateBySchema(schema, found.data, 'ERR_CONFLICT') }
    },
    async write(data, options) {
      await validateBySchema(schema, data, 'ERR_INVALID_REQUEST')
      return view.writeSecret({ path, data: data as Data }, options)
    },
  }
}

export function validatedSecret2<S extends StandardSchema>(
  view: Pick<Kv2Api, 'readSecret' | 'writeSecret'>,
  path: string,
  schema: S,
): ValidatedSecret2<S> {
  assertSchema(schema)
  return {
    async read(options) {
      const found = await view.readSecret({ path }, options)
      return { ...found, data: await validateBySchema(schema, found.data, 'ERR_CONFLICT') }
    },
    async write(data, { cas, ...options } = {}) {
      await validateBySchema(schema, data, 'ERR_INVALID_REQUEST')
      return view.writeSecret({ path, data: data as Data, ...(cas !== undefined && { options: { cas } }) }, options)
    },
  }
}
