/** New databases to crash on, with the schema in place. */
import { newDataFolder, newMigratedDatabase } from '../support/databases.ts'
import type { Place } from './fleet.ts'

export const localPlace = async (): Promise<Place> => ({ engine: 'local', folder: await newDataFolder() })
export const serverPlace = async (): Promise<Place> => ({ engine: 'postgres', url: await newMigratedDatabase() })
