/** One secret that a schema validates on every read and write. */
import type { CallOptions, NoResult, Reply } from '../../core/contract/api.ts'
import { assertSchema, type SchemaInput, type SchemaOutput, type StandardSchema, validateBySchema } from './standard-schema.ts'
import type { KvApi, ReadSecretResult } from './v1/generated/api.ts'
import type { Kv2Api, ReadSecretResult as ReadVersionResult, WriteSecretResult } from './v2/generated/api.ts'

/** The result of a read whose data has a known type. */
export type TypedData<R, T> = Reply<
  Omit<R, 'data'> & {
    /** The secret. */
    readonly data: T
  }
>

/** A secret of version 1, created with `kv.secret(path, schema)`. */
export interface ValidatedSecret<S extends StandardSchema> {
  /**
   * Reads the secret; `data` is the output of the schema.
   * @throws The same errors as `readSecret`, and KernelError ERR_CONFLICT if the stored secret does not match the schema
   */
  read(options?: CallOptions): Promise<TypedData<ReadSecretResult, SchemaOutput<S>>>
  /**
   * Validates the data and writes it unchanged.
   * @throws The same errors as `writeSecret`, and KernelError ERR_INVALID_REQUEST if the data does not match the schema
   */
  write(data: SchemaInput<S>, options?: CallOptions): Promise<NoResult>
}

/** A secret of version 2, created with `kv2.secret(path, schema)`. */
export interface ValidatedSecret2<S extends StandardSchema> {
  /** Reads the latest version. @throws The same errors as {@link ValidatedSecret.read}. */
  read(options?: CallOptions): Promise<TypedData<ReadVersionResult, SchemaOutput<S>>>
  /** Writes a new version. @throws The same errors as {@link ValidatedSecret.write}. */
  write(data: SchemaInput<S>, options?: CallOptions & WriteOptions): Promise<Reply<WriteSecretResult>>
}

/** Options of a write in version 2. */
export interface WriteOptions {
  /** The version that the write replaces; 0 if the secret must not exist. Default: any version. */
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
