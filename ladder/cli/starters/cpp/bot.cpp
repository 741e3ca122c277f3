// new-bot: reads a line of JSON for each decision, and prints one of the legal moves.

#include <iostream>
#include <string>
#include <vector>

// The legal moves in a line: ..."legal":["drive 1","drive 2"],...
std::vector<std::string> legal_moves(const std::string& line) {
    const std::string key = "\"legal\":[";
    const auto start = line.find(key) + key.size();
    const std::string list = line.substr(start, line.find(']', start) - start);
    std::vector<std::string> moves;
    for (std::size_t from = 0; (from = list.find('"', from)) != std::string::npos;) {
        const auto to = list.find('"', from + 1);
        moves.push_back(list.substr(from + 1, to - from - 1));
        from = to + 1;
    }
    return moves;
}

// Deliver to the ship whenever that is possible.
std::string choose(const std::vector<std::string>& moves) {
    for (const auto& move : moves)
        if (move.rfind("deliver", 0) == 0) return move;
    return moves.front();
}

int main() {
    for (std::string line; std::getline(std::cin, line);)
        if (line.rfind("{\"type\":\"decision\"", 0) == 0)
            std::cout << choose(legal_moves(line)) << std::endl;  // which also flushes
}
