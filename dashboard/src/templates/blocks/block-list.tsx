/** The blocks of a content: added from a palette, dragged by pointer or keys, edited where they stand. */
import {
  closestCenter,
  DndContext,
  type DndContextProps,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useDroppable,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable'
import {
  Bars2Icon,
  Bars3BottomLeftIcon,
  ChatBubbleLeftIcon,
  CodeBracketIcon,
  CursorArrowRaysIcon,
  EllipsisVerticalIcon,
  EnvelopeIcon,
  HashtagIcon,
  ListBulletIcon,
  MinusIcon,
  PhotoIcon,
  PlusIcon,
  QuestionMarkCircleIcon,
  RectangleGroupIcon,
  TableCellsIcon,
  ViewColumnsIcon,
} from '@heroicons/react/20/solid'
import { ActionIcon, Button, Menu, VisuallyHidden } from '@mantine/core'
import { type ComponentType, type KeyboardEvent, useMemo } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import styles from '../editor.module.css'
import { BlockForm } from './block-form.tsx'
import {
  addableTypes,
  append,
  type Block,
  duplicateBlock,
  type ElementType,
  findBlock,
  insertAfter,
  moveBlock,
  newBlock,
  removeBlock,
  replaceBlock,
  setFields,
  shiftBlock,
  summaryOf,
  takes,
} from './blocks.ts'
import { blockTexts, fieldsOfType } from './fields.ts'

const listTexts = texts({
  en: {
    blocks: 'Blocks',
    add: 'Add block',
    addHere: 'Add',
    drag: (name: string) => `Move ${name}`,
    dragHow: 'Space picks the block up, the arrow keys move it, Space drops it, Escape puts it back.',
    picked: (name: string) => `${name} is picked up.`,
    over: (name: string) => `Before ${name}.`,
    dropped: (name: string) => `${name} is dropped.`,
    canceled: 'The block is back in its place.',
    up: 'Move up',
    down: 'Move down',
    duplicate: 'Duplicate',
    actions: (name: string) => `Actions for ${name}`,
    edit: 'Edit',
    show: 'Show',
    empty: 'Nothing here yet. Add a first block from the palette.',
    drop: 'Drop a block here',
    condition: 'if',
    loop: 'each',
    noText: 'no words yet',
  },
  de: {
    blocks: 'Bausteine',
    add: 'Baustein hinzufügen',
    addHere: 'Hinzufügen',
    drag: (name: string) => `${name} verschieben`,
    dragHow:
      'Die Leertaste nimmt den Baustein auf, die Pfeiltasten bewegen ihn, die Leertaste legt ihn ab, Escape bringt ihn zurück.',
    picked: (name: string) => `${name} ist aufgenommen.`,
    over: (name: string) => `Vor ${name}.`,
    dropped: (name: string) => `${name} ist abgelegt.`,
    canceled: 'Der Baustein steht wieder an seinem Platz.',
    up: 'Nach oben',
    down: 'Nach unten',
    duplicate: 'Verdoppeln',
    actions: (name: string) => `Aktionen für ${name}`,
    edit: 'Bearbeiten:',
    show: 'Zeigen:',
    empty: 'Noch nichts da. Ein erster Baustein kommt aus der Palette.',
    drop: 'Baustein hier ablegen',
    condition: 'wenn',
    loop: 'je',
    noText: 'noch ohne Worte',
  },
})

const icons: Record<ElementType, ComponentType<{ className?: string | undefined; 'aria-hidden'?: boolean }>> = {
  ...{ text: Bars3BottomLeftIcon, meta: EnvelopeIcon, channel: HashtagIcon, action: CursorArrowRaysIcon },
  ...{ image: PhotoIcon, divider: MinusIcon, group: RectangleGroupIcon, quote: ChatBubbleLeftIcon },
  ...{ html: CodeBracketIcon, list: ListBulletIcon, 'list-item': ListBulletIcon, table: TableCellsIcon },
  ...{ 'table-row': TableCellsIcon, 'table-cell': TableCellsIcon, comment: ChatBubbleLeftIcon },
  ...{ columns: ViewColumnsIcon, column: ViewColumnsIcon },
}

export interface BlockListProps {
  blocks: readonly Block[]
  /** All of the content, of which `blocks` can be the part of one channel. */
  all: readonly Block[]
  /** The block whose children are shown, where each channel has a content of its own. */
  parent: string | undefined
  open: string | undefined
  setOpen(key: string | undefined): void
  change(next: readonly Block[], name?: string): void
  removed(name: string): void
  isReadOnly: boolean
}

export function BlockList(props: BlockListProps) {
  const { blocks, all, parent, open, setOpen, change, isReadOnly } = props
  const t = useTexts(listTexts)
  const names = useTypeNames()
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
  const nameOf = (key: string | number) => {
    const block = findBlock(all, String(key).replace(INTO, ''))?.block
    return block ? `${names(block.fields.type)} ${summaryOf(block).slice(0, 40)}` : ''
  }
  const accessibility: DndContextProps['accessibility'] = {
    announcements: {
      onDragStart: ({ active }) => t.picked(nameOf(active.id)),
      onDragOver: ({ active, over }) => (over && over.id !== active.id ? t.over(nameOf(over.id)) : undefined),
      onDragEnd: ({ active }) => t.dropped(nameOf(active.id)),
      onDragCancel: () => t.canceled,
    },
    screenReaderInstructions: { draggable: t.dragHow },
  }
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    if (!over) return
    const target = String(over.id)
    const place = target.startsWith(INTO) ? { into: target.slice(INTO.length) } : { over: target }
    change(moveBlock(all, String(active.id), place))
  }
  const add = (type: ElementType) => {
    const block = newBlock(type)
    const after = open === undefined ? undefined : blocks.find(({ key }) => key === open)
    change(after ? insertAfter(all, after.key, block) : append(all, parent, block))
    setOpen(block.key)
  }
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={(args) =>
        closestCenter({
          ...args,
          droppableContainers: args.droppableContainers.filter(isPossible(all, String(args.active.id))),
        })
      }
      onDragEnd={onDragEnd}
      accessibility={accessibility}
    >
      {!isReadOnly && (
        <div className={styles.palette} role="toolbar" aria-label={t.add}>
          {addableTypes(parent === undefined ? undefined : 'channel').map((type) => {
            const Icon = icons[type]
            return (
              <button key={type} type="button" onClick={() => add(type)}>
                <Icon aria-hidden />
                {names(type)}
              </button>
            )
          })}
        </div>
      )}
      {blocks.length === 0 ? (
        <p className={styles.empty}>{t.empty}</p>
      ) : (
        <Level {...props} parentType={parent === undefined ? undefined : 'channel'} label={t.blocks} />
      )}
    </DndContext>
  )
}

/** Marks a place to drop at the end of a parent. */
const INTO = 'into '

/** Not into itself, and only where the type can stand. */
const isPossible = (all: readonly Block[], key: string) => {
  const active = findBlock(all, key)
  return ({ id }: { id: string | number }) => {
    const place = String(id)
    const isInto = place.startsWith(INTO)
    const target = findBlock(all, isInto ? place.slice(INTO.length) : place)
    if (!active || !target || findBlock(active.block.children ?? [], target.block.key)) return false
    if (isInto) return takes(target.block.fields.type, active.block.fields.type)
    const parent = target.path.length > 1 ? parentType(all, target.path) : undefined
    return takes(parent, active.block.fields.type)
  }
}

function parentType(all: readonly Block[], path: readonly number[]): string | undefined {
  let list: readonly Block[] | undefined = all
  let type: string | undefined
  for (const index of path.slice(0, -1)) {
    const block: Block | undefined = list?.[index]
    type = block?.fields.type
    list = block?.children
  }
  return type
}

interface LevelProps extends BlockListProps {
  parentType: string | undefined
  label: string
}

function Level({ label, ...props }: LevelProps) {
  const keys = useMemo(() => props.blocks.map(({ key }) => key), [props.blocks])
  return (
    <SortableContext items={keys} strategy={verticalListSortingStrategy}>
      <ul className={styles.blocks} aria-label={label}>
        {props.blocks.map((block) => (
          <BlockCard key={block.key} {...props} block={block} />
        ))}
      </ul>
    </SortableContext>
  )
}

function BlockCard({ block, ...props }: Omit<LevelProps, 'label'> & { block: Block }) {
  const { all, open, setOpen, change, removed, isReadOnly } = props
  const t = useTexts(listTexts)
  const shared = useTexts(words)
  const typeName = useTypeNames()
  const { key, fields, children } = block
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: key,
    disabled: isReadOnly,
  })
  const Icon = icons[fields.type as ElementType] ?? QuestionMarkCircleIcon
  const isOpen = open === key
  const summary = summaryOf(block)
  const type = typeName(fields.type)
  const name = summary === '' ? type : `${type}: ${summary.slice(0, 40)}`
  const remove = () => {
    change(removeBlock(all, key))
    removed(name)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isReadOnly || event.target !== event.currentTarget) return
    if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      event.preventDefault()
      change(shiftBlock(all, key, event.key === 'ArrowUp' ? -1 : 1))
    }
    if (event.key === 'Delete' || event.key === 'Backspace') remove()
  }
  const isStructure = children !== undefined && fields.content === undefined
  return (
    <li
      ref={setNodeRef}
      className={styles.block}
      data-open={isOpen}
      data-dragging={isDragging}
      data-type={fields.type}
      style={{
        transform: transform ? `translate3d(${Math.round(transform.x)}px, ${Math.round(transform.y)}px, 0)` : undefined,
        transition,
      }}
    >
      <div className={styles.blockHead}>
        {!isReadOnly && (
          <button
            ref={setActivatorNodeRef}
            type="button"
            className={styles.handle}
            {...attributes}
            {...listeners}
            aria-label={t.drag(name)}
          >
            <Bars2Icon aria-hidden />
          </button>
        )}
        <button
          type="button"
          className={styles.blockName}
          aria-expanded={isOpen}
          onClick={() => setOpen(isOpen ? undefined : key)}
          onKeyDown={onKeyDown}
        >
          <VisuallyHidden>{isReadOnly ? t.show : t.edit} </VisuallyHidden>
          <Icon aria-hidden />
          <span className={styles.blockType}>{type}</span>{' '}
          <span className={styles.blockSummary} data-style={String(fields.text_style ?? '')}>
            {isStructure
              ? ''
              : summary ||
                (fieldsOfType[fields.type as ElementType] && !TEXTLESS.includes(fields.type) ? t.noText : '')}
          </span>
          {typeof fields.if === 'string' && <code title={fields.if}>{`${t.condition} ${fields.if}`}</code>}
          {typeof fields.loop === 'string' && <code title={fields.loop}>{`${t.loop} ${fields.loop}`}</code>}
          {Array.isArray(fields.channels) && <code>{fields.channels.join(', ')}</code>}
        </button>
        {!isReadOnly && (
          <Menu position="bottom-end" withinPortal>
            <Menu.Target>
              <ActionIcon size="sm" variant="subtle" color="gray" aria-label={t.actions(name)}>
                <EllipsisVerticalIcon className={styles.icon} aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item rightSection={<kbd>Alt ↑</kbd>} onClick={() => change(shiftBlock(all, key, -1))}>
                {t.up}
              </Menu.Item>
              <Menu.Item rightSection={<kbd>Alt ↓</kbd>} onClick={() => change(shiftBlock(all, key, 1))}>
                {t.down}
              </Menu.Item>
              <Menu.Item
                onClick={() => {
                  const copy = duplicateBlock(all, key)
                  change(copy.blocks)
                  setOpen(copy.key)
                }}
              >
                {t.duplicate}
              </Menu.Item>
              <Menu.Item color="bad" rightSection={<kbd>Del</kbd>} onClick={remove}>
                {shared.delete}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </div>
      {isOpen && (
        <BlockForm
          block={block}
          isReadOnly={isReadOnly}
          set={(changes, field) => change(setFields(all, key, changes), `${key} ${field}`)}
          replace={(element) => change(replaceBlock(all, key, element), `${key} json`)}
        />
      )}
      {children && (children.length > 0 || isOpen || isStructure) && (
        <div className={styles.nested}>
          {children.length > 0 && <Level {...props} blocks={children} parentType={fields.type} label={name} />}
          {!isReadOnly && <AddInside {...props} block={block} />}
        </div>
      )}
    </li>
  )
}

const TEXTLESS: readonly string[] = ['divider', 'group', 'columns', 'column', 'table', 'table-row', 'list']

function AddInside({ block, all, change, setOpen }: Omit<LevelProps, 'label'> & { block: Block }) {
  const t = useTexts(listTexts)
  const typeName = useTypeNames()
  const { setNodeRef, isOver } = useDroppable({ id: INTO + block.key })
  const types = addableTypes(block.fields.type)
  const add = (type: ElementType) => {
    const child = newBlock(type)
    change(append(all, block.key, child))
    setOpen(child.key)
  }
  const [only] = types
  return (
    <div ref={setNodeRef} className={styles.addInside} data-over={isOver}>
      {types.length <= 2 && only ? (
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<PlusIcon className={styles.icon} />}
          onClick={() => add(only)}
        >
          {typeName(only)}
        </Button>
      ) : (
        <Menu position="bottom-start" withinPortal>
          <Menu.Target>
            <Button size="compact-xs" variant="subtle" leftSection={<PlusIcon className={styles.icon} />}>
              {isOver ? t.drop : t.addHere}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {types.map((type) => (
              <Menu.Item key={type} onClick={() => add(type)}>
                {typeName(type)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  )
}

/** An unknown type is named as it is written. */
function useTypeNames(): (type: string) => string {
  const t = useTexts(blockTexts)
  return (type) => (type in fieldsOfType ? t[`type_${type as ElementType}`] : type)
}
