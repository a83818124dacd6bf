/** Reads the OpenAPI document for the tests in this folder. */

import type { Operations } from '../../src/core/contract/operation.ts'
import { cubbyhole } from '../../src/engines/cubbyhole/index.ts'
import { kv, kv2Operations } from '../../src/engines/kv/index.ts'
import { operations as transitOperations } from '../../src/engines/transit/all-operations.ts'
import type { Kernel } from '../../src/index.ts'
import { token } from '../../src/sys/token/engine.ts'
import { SYSTEM } from '../fixtures/all-engines.ts'

export interface Schema {
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly $ref?: string
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Schema
}

export interface Described {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

export type Method = 'get' | 'post' | 'patch' | 'delete' | 'head'

export type PathItem = { readonly [K in Method]?: Described } & { readonly parameters?: readonly Parameter[] }

export interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly securitySchemes: object
  }
}

export const ENGINES_BY_MOUNT: Readonly<Record<string, Operations>> = {
  'transit/': transitOperations,
  'secret/': kv.operations,
  'apps/': kv2Operations,
  'apps-more/': kv2Operations,
  'cubbyhole/': cubbyhole.operations,
  'sys/': SYSTEM.operations,
  'auth/token/': token.operations,
}

/** @throws Error with the status if the request is refused */
export async function documentOf(
  kernel: Kernel,
  token: string | undefined,
  prefix = 'X-Service',
  namespace = '',
): Promise<Document> {
  const headers = { [`${prefix}-Namespace`]: namespace, ...(token === undefined ? {} : { [`${prefix}-Token`]: token }) }
  const { status, body } = await kernel.handle({ method: 'GET', path: '/v1/sys/internal/specs/openapi', headers })
  if (status !== 200) throw new Error(String(status))
  return JSON.parse(JSON.stringify(body)) as Document
}
