import { Alert, Button, Group, Stack, type ButtonProps } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import {
  cloneElement,
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactElement,
  type ReactNode,
} from 'react';
import { problemOf, sentenceAt, wordsOf, type FieldProblem, type Problem } from '../api/problem.ts';
import { notifyDone, RequestId } from './feedback.tsx';
import { invalidFields } from './invalid-fields.ts';
import { Copyable } from './format.tsx';

interface FormProps {
  save: () => Promise<unknown>;
  /** Reported after the form was saved. */
  done?: string;
  children: ReactNode;
}

interface FormState {
  busy: boolean;
  problems: readonly FieldProblem[];
  /** Fields say that they are shown: the problems of others stand at the top of the form. */
  register: (name: string) => () => void;
}

const FormContext = createContext<FormState>({ busy: false, problems: [], register: () => () => undefined });

/**
 * A form that is saved by the page instead of the browser. A refused value is reported once, below the field that has it;
 * any other refusal at the top. What was typed stays.
 */
export function Form({ save, done, children }: FormProps) {
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  const [failure, setFailure] = useState<Problem | null>(null);
  const shown = useRef(new Map<string, number>());
  const form = useRef<HTMLFormElement>(null);
  const register = useCallback((name: string) => {
    shown.current.set(name, (shown.current.get(name) ?? 0) + 1);
    return () => void shown.current.set(name, (shown.current.get(name) ?? 1) - 1);
  }, []);
  const refuse = (fields: readonly FieldProblem[], other: Problem | null) => {
    setProblems(fields);
    setFailure(other);
  };
  const submit = async () => {
    const invalid = form.current ? invalidFields(form.current) : [];
    refuse(invalid, null);
    if (invalid.length > 0) return;
    setBusy(true);
    try {
      await save();
      if (done !== undefined) notifyDone(done);
    } catch (error) {
      const problem = problemOf(error);
      const fields = problem.fields.filter(({ name }) => (shown.current.get(name) ?? 0) > 0);
      refuse(fields, fields.length === 0 ? problem : null);
    } finally {
      setBusy(false);
    }
  };
  const state = useMemo(() => ({ busy, problems, register }), [busy, problems, register]);
  useEffect(() => {
    if (problems.length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problems]);
  return (
    <FormContext value={state}>
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {failure && <FormFailure {...failure} />}
        {children}
      </form>
    </FormContext>
  );
}

function FormFailure({ message, requestId, isRefusal }: Problem) {
  return (
    <Alert color="red" icon={<IconAlertTriangle />} role="alert" mb="md" title={message}>
      {!isRefusal && requestId !== null && <RequestId id={requestId} />}
    </Alert>
  );
}

/** Attributes of inputs that `FormField` sets. */
interface InputProps {
  label?: ReactNode;
  'aria-label'?: string;
  value?: unknown;
  error?: ReactNode;
  'data-field'?: string;
}

interface FormFieldProps {
  /** The field of the request, in the names of GraphQL. */
  name: string;
  /** The elements of a list that is typed as one text. */
  values?: readonly string[];
  children: ReactElement<InputProps>;
}

/** An input of a form, with the refusal of its value below it. */
export function FormField({ name, values, children }: FormFieldProps) {
  const { problems, register } = useContext(FormContext);
  useEffect(() => register(name), [name, register]);
  const problem = problems.find((one) => one.name === name);
  const { props } = children;
  const label = typeof props.label === 'string' ? props.label : (props['aria-label'] ?? wordsOf(name));
  return cloneElement(children, {
    'data-field': name,
    error: problem ? sentenceAt(problem, label, values ?? props.value) : props.error,
  });
}

/** The button that saves a form. */
export function SubmitButton(props: ButtonProps) {
  const { busy } = useContext(FormContext);
  return <Button type="submit" loading={busy} {...props} />;
}

interface DialogFormProps extends FormProps {
  /** The text on the button. */
  action: string;
  color?: string;
  disabled?: boolean;
  /** Beside the button. */
  aside?: ReactNode;
}

/** Fields in a dialog or a card with a button that saves them. */
export function DialogForm({ action, color, disabled, aside, children, ...form }: DialogFormProps) {
  return (
    <Form {...form}>
      <Stack>
        {children}
        <Group justify={aside === undefined ? 'flex-end' : 'space-between'}>
          {aside}
          <SubmitButton color={color} disabled={disabled} ml="auto">
            {action}
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}

interface ShownOnceProps {
  title: string;
  text?: string;
  value: string;
  /** The name of the button that copies the value. */
  label: string;
  close: () => void;
  children?: ReactNode;
}

/** A secret that is not shown again. */
export function ShownOnce({ title, text, value, label, close, children }: ShownOnceProps) {
  return (
    <Stack>
      {children}
      <Alert color="yellow" icon={<IconAlertTriangle />} title={title}>
        {text}
      </Alert>
      <Copyable value={value} label={label} />
      <Group justify="flex-end">
        <Button onClick={close}>Done</Button>
      </Group>
    </Stack>
  );
}
