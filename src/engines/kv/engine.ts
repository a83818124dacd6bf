import type { CallOptions } from '../../core/contract/api.ts'
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import { KV_EVENTS } from './events.ts'

export type {} from './events.ts'

import { kv2, kv2Operations, kv as kvOperations } from './index.ts'
import type { StandardSchema } from './standard-schema.ts'
import type { KvApi, ReadSecretArguments, ReadSecretResult } from './v1/generated/api.ts'
import type {
  Kv2Api,
  ReadSecretArguments as ReadVersionArguments,
  ReadSecretResult as ReadVersionResult,
} from './v2/generated/api.ts'
import {
  type TypedData,
  type ValidatedSecret,
  type ValidatedSecret2,
  validatedSecret,
  validatedSecret2,
} from './validated-secret.ts'

/** The key/value engine, version 1. */
export interface Kv extends Omit<KvApi, 'readSecret'> {
  /**
   * Reads a secret. The data is not validated against `T`; use {@link secret} for validation.
   * @throws KernelError 404 if the secret does not exist
   * @example
   * const { data } = await kernel.kv.readSecret<{ password: string }>({ path: 'app/db' })
   */
  readSecret<T extends object = ReadSecretResult['data']>(
    args: ReadSecretArguments,
    options?: CallOptions,
  ): Promise<TypedData<ReadSecretResult, T>>
  /**
   * Returns an object for one secret. A schema validates the secret on every read and write.
   * @param schema Any Standard Schema, for example of zod, valibot or arktype.
   * @example
   * const db = kernel.kv.secret('app/db', z.object({ password: z.string() }))
   * await db.write({ password: 'hunter2' })
   */
  secret<S extends StandardSchema>(path: string, schema: S): ValidatedSecret<S>
  /** Returns the methods for a key/value engine at another mount path, such as `payments/`. */
  at(path: string): Kv
}

/** The key/value engine, version 2. */
export interface Kv2 extends Omit<Kv2Api, 'readSecret'> {
  /**
   * Reads a version of a secret. The data is not validated against `T`; use {@link secret} for validation.
   * @throws KernelError 404 if the secret does not exist, or if the version was deleted or destroyed
   */
  readSecret<T extends object = ReadVersionResult['data']>(
    args: ReadVersionArguments,
    options?: CallOptions,
  ): Promise<TypedData<ReadVersionResult, T>>
  /** Returns an object for one secret, like {@link Kv.secret}. Its `write` also accepts `cas`, the version that the write replaces. */
  secret<S extends StandardSchema>(path: string, schema: S): ValidatedSecret2<S>
  /** Returns the methods for a key/value engine at another mount path, such as `payments/`. */
  at(path: string): Kv2
}

/** The facades of kernels that have the key/value engine. */
export interface KvFacades {
  /** The key/value engine, version 1, mounted at `secret/`. Use `at(path)` for other mounts. */
  readonly kv: Kv
  /** The key/value engine, version 2. Uses the mount `secret/`, which must have been tuned to version 2. Use `at(path)` for other mounts. */
  readonly kv2: Kv2
}

/** The key/value engine, with the facades `kernel.kv` and `kernel.kv2`. A new store has a mount of version 1 at `secret/`. */
export const kv = (): EngineValue<KvFacades> =>
  engineValue<KvFacades>({
    ...kvOperations,
    events: KV_EVENTS,
    fresh: [{ path: 'secret/', description: 'key/value secret storage', options: { version: '1' } }],
    facades: {
      kv: {
        path: 'secret/',
        operations: kvOperations.operations,
        methods: (view: Kv) => ({
          secret: (path: string, schema: StandardSchema) => validatedSecret(view as KvApi, path, schema),
        }),
      },
      kv2: {
        path: 'secret/',
        type: kv2.type,
        operations: kv2Operations,
        methods: (view: Kv2) => ({
          secret: (path: string, schema: StandardSchema) => validatedSecret2(view as Kv2Api, path, schema),
        }),
      },
    },
  })
