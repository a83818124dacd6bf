/** The members of a kind's entries, as filters see them. */
import { type RecordDataShape, record, uint } from '../expression/index.ts'
import type { EntryKind } from './kind.ts'

export const entryShape = ({ body }: EntryKind): RecordDataShape =>
  record({ ...body.shape.members, CreateIndex: uint(), ModifyIndex: uint() })
