/** PATCH sys/namespaces/:name, a merge patch (RFC 7396), as in Vault. */

import { notFound } from '../../core/base/errors.ts'
import { operation } from '../../core/contract/operation.ts'
import { type Builder, buildField } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import { patchedMember } from '../../core/json/merge-patch.ts'
import { replaceMetadata } from './create-namespace.ts'
import { checkMetadata } from './custom-metadata.ts'
import { childOf, NAMESPACE_NAME, NAMESPACE_RESULT, showNamespace } from './namespace-view.ts'

const object = f.object('')

const unlessNull =
  <T>(read: (value: unknown, name: string) => T) =>
  (value: unknown, name: string): T | null =>
    value === null ? null : read(value, name)

const CHANGES: Builder<object | null, Readonly<Record<string, string | null>> | null> = buildField({
  fromTyped: unlessNull(object.fromTyped),
  coerce: unlessNull(object.coerce),
  decode: (value) => value as object | null,
  nullable: true,
  description:
    'A merge patch (RFC 7396): strings are set, a null value removes the name, and null in place of the object removes all names.',
  schema: { type: 'object', nullable: true },
})

/**
 * @throws KernelError 400 if `name` is reserved or contains a slash, a space or a wildcard, if `custom_metadata` has more than 64 entries,
 *   if `custom_metadata` has a value that is not a string, or if `custom_metadata` has a name or a value that is too long.
 * @throws KernelError 404 if the namespace does not exist.
 */
export const patchNamespace = operation({
  kind: 'write',
  verb: 'PATCH',
  path: '/namespaces/+name',
  forwardable: true,
  summary: 'Changes the metadata of a namespace below this one.',
  fields: {
    name: NAMESPACE_NAME,
    custom_metadata: CHANGES.optional(),
  },
  returns: NAMESPACE_RESULT,
  run: (tx, { name, custom_metadata }) => {
    const known = childOf(tx, name)
    if (!known) throw notFound('name: the namespace does not exist')
    const merged = patchedMember<object>(known.custom_metadata, custom_metadata) ?? {}
    return showNamespace(replaceMetadata(tx, known, checkMetadata(merged)))
  },
})
