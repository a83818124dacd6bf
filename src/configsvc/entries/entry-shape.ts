/** The members of a kind's entries, as filters see them. */
import { type RecordDataShape, recordShape, uintShape } from '../expression/index.ts'
import type { EntryKind } from './kind.ts'

export const entryShape = ({ body }: EntryKind): RecordDataShape =>
  recordShape({ ...body.shape.members, CreateIndex: uintShape(), ModifyIndex: uintShape() })
