"""BenchExec's tool-info module for Parikh (https://github.com/sosy-lab/benchexec).

Each task is one examination of one instance of the Model Checking Contest. The definition of the task
names the examination in its options:

    format_version: '2.0'
    input_files: 'instances/Peterson-PT-2/model.pnml'
    properties:
      - property_file: ReachabilityDeadlock.prp
        expected_verdict: false
    options:
      examination: ReachabilityDeadlock

`parikh-bench tasks` writes such tasks, the benchmark definition, and this file beside them.
The status of a task with one answer is true or false; of one with several, done or unknown.
<column title="answered">answered</column> counts answers, and <column title="…">ID</column> shows one.
"""

import re

import benchexec.result as result
from benchexec.tools.template import BaseTool2, UnsupportedFeatureException

ANSWER = re.compile(r"^(?:FORMULA|STATE_SPACE) (\S+) (\S+) TECHNIQUES")


def answers(output):
    """The answers in their order: (id, value)."""
    found = (ANSWER.match(line) for line in output)
    return [match.groups() for match in found if match]


class Tool(BaseTool2):
    # An unpacked release: the libraries lie in lib/.
    REQUIRED_PATHS = ["bin", "lib"]

    def name(self):
        return "Parikh"

    def executable(self, tool_locator):
        return tool_locator.find_executable("parikh", subdir="bin")

    def program_files(self, executable):
        return self._program_files_from_executable(executable, self.REQUIRED_PATHS, parent_dir=True)

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="parikh")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "check", task.single_input_file, "--format", "mcc"]
        if isinstance(task.options, dict) and "examination" in task.options:
            command += ["--examination", task.options["examination"]]
        elif not {"-e", "--examination", "--formula", "--formulas"} & set(options):
            raise UnsupportedFeatureException(
                "Parikh has to be told what to ask: `examination` in the task's options, or -e in the benchmark's"
            )
        cores = rlimits.cpu_cores or 1
        command += ["--threads", str(cores)]
        seconds = [rlimits.walltime, rlimits.cputime and rlimits.cputime / cores]
        seconds = min([s for s in seconds if s], default=None)
        if seconds:
            # So that what is left open can still be said.
            margin = min(max(seconds / 20, 1.2), 10, seconds / 4)
            command += ["--timeout", f"{seconds - margin:.1f}s"]
        if rlimits.memory:
            command += ["--memory", f"{max(rlimits.memory // 1_000_000 - 200, 100)}M"]
        return command + options

    def determine_result(self, run):
        code = run.exit_code.value
        if code == 4:
            return result.RESULT_ERROR + " (a claim failed its check)"
        if code in (1, 2):
            return result.RESULT_ERROR + " (input or command line)"
        found = answers(run.output)
        if code != 0:
            return result.RESULT_UNKNOWN
        if len(found) == 1 and found[0][1] in ("TRUE", "FALSE"):
            return result.RESULT_TRUE_PROP if found[0][1] == "TRUE" else result.RESULT_FALSE_PROP
        return result.RESULT_DONE

    def get_value_from_output(self, output, identifier):
        found = answers(output)
        if identifier == "answered":
            return str(len(found))
        return dict(found).get(identifier)
